#include "bough/predict/leaf_models.hpp"

#include <algorithm>
#include <cmath>

#include "bough/machine/team.hpp"

namespace bough {

namespace {

constexpr std::int64_t kModelRows = 4096;

double input(const LeafModelView& models, std::int64_t term, const Column& column, std::int64_t row) {
  if (column.scale == Scale::numeric) {
    const double value = column.value(row);
    if (!std::isfinite(value)) return models.substitute[term];
    return models.lowest ? std::clamp(value, models.lowest[term], models.highest[term]) : value;
  }
  const int code = column.code(row);
  if (code < 0) return models.substitute[term];
  const std::int32_t *begin = models.level_code + models.level_start[term],
                     *end = models.level_code + models.level_start[term + 1];
  return std::binary_search(begin, end, code) ? 1 : 0;
}

}  // namespace

double model_value(const LeafModelView& models, std::int64_t node, const std::vector<Column>& columns,
                   std::int64_t row) {
  double sum = models.intercept[node];
  for (std::int64_t term = models.start[node]; term < models.start[node + 1]; ++term)
    sum += models.coefficient[term] * input(models, term, columns[models.column[term]], row);
  return sum;
}

void predict_by_models(const LeafModelView& models, const std::vector<Column>& columns, std::int64_t n_rows,
                       const std::int32_t* node, int n_threads, double* answer, const Monitor& monitor) {
  const std::int64_t n_parts = (n_rows + kModelRows - 1) / kModelRows;
  Watch watch(monitor, static_cast<double>(n_parts));
  Team team(static_cast<int>(std::clamp<std::int64_t>(n_parts, 1, n_threads)));
  team.run(static_cast<int>(n_parts), [&](int part, int) {
    if (watch.should_stop()) return;
    const std::int64_t first = part * kModelRows, last = std::min(n_rows, first + kModelRows);
    for (std::int64_t row = first; row < last; ++row) {
      const double value = model_value(models, node[row], columns, row);
      if (std::isfinite(value)) answer[row] = value;
    }
    watch.done(1);
  });
  watch.throw_if_stopped();
}

}  // namespace bough
