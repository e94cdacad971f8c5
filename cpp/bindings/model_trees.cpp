// Model trees: growth of M5 trees, and predictions by the linear models of nodes.
#include <cmath>
#include <limits>

#include "bough/model_trees/cubist.hpp"
#include "bough/model_trees/cubist_neighbours.hpp"
#include "bough/model_trees/linear_tree.hpp"
#include "bough/model_trees/logit_boost.hpp"
#include "bough/model_trees/m5.hpp"
#include "bough/predict/leaf_models.hpp"
#include "table.hpp"
#include "term_bounds.hpp"
#include "watched.hpp"

namespace {

using namespace bough_python;
namespace model_trees = bough::model_trees;

// values: a row for each column of the table.
model_trees::NumericRows to_rows(const Array<double, 2>& values, const Array<double>& y,
                                 const Optional<double>& weight, const Optional<double>& cases) {
  model_trees::NumericRows rows;
  rows.n_rows = checked_rows(static_cast<std::int64_t>(values.shape(1)), 1);
  for (std::size_t column = 0; column < values.n(); ++column)
    rows.columns.push_back(values.data() + column * values.shape(1));
  check(y.n() == values.shape(1), "y has the wrong length");
  check_finite(values.data(), values.size(), "values");
  check_finite(y.data(), y.n(), "y");
  rows.y = y.data();
  rows.weight = entries(weight, rows.n_rows, "weights");
  rows.cases = entries(cases, rows.n_rows, "cases");
  for (const double* each : {rows.weight, rows.cases})
    for (std::int64_t i = 0; each && i < rows.n_rows; ++i)
      check(std::isfinite(each[i]) && each[i] > 0, "weights and cases must be finite and above 0");
  return rows;
}

// The arrays of a tree, its nodes numbered level by level.
nb::dict to_arrays(const std::vector<model_trees::ModelNode>& nodes) {
  std::vector<std::int32_t> column, n_children, term_column;
  std::vector<std::int64_t> term_start{0};
  std::vector<double> cut, below, above, gain, cases, weight, mean, risk, intercept, coefficient;
  for (const int number : model_trees::level_by_level(nodes)) {
    const model_trees::ModelNode& node = nodes[number];
    const bool leaf = node.column < 0;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    column.push_back(node.column);
    n_children.push_back(leaf ? 0 : 2);
    cut.push_back(leaf ? nan : node.cut);
    below.push_back(leaf ? nan : node.below);
    above.push_back(leaf ? nan : node.above);
    gain.push_back(leaf ? nan : node.gain);
    cases.push_back(node.cases);
    weight.push_back(node.weight);
    mean.push_back(node.mean);
    risk.push_back(node.risk);
    intercept.push_back(node.model.intercept);
    term_column.insert(term_column.end(), node.model.column.begin(), node.model.column.end());
    coefficient.insert(coefficient.end(), node.model.coefficient.begin(), node.model.coefficient.end());
    term_start.push_back(static_cast<std::int64_t>(term_column.size()));
  }
  nb::dict d;
  put(d, "column", column, "n_children", n_children, "cut", cut, "below", below, "above", above, "gain", gain,
      "cases", cases, "weight", weight, "mean", mean, "risk", risk, "intercept", intercept, "term_start",
      term_start, "term_column", term_column, "coefficient", coefficient);
  return d;
}

model_trees::M5Options to_options(const Dict& options) {
  model_trees::M5Options chosen;
  Reader(options, "options")
      .read("min_cases", chosen.min_cases, "min_deviation", chosen.min_deviation, "constant", chosen.constant,
            "prune", chosen.prune, "smoothing", chosen.smoothing);
  return chosen;
}

Dict grow_m5(const Array<double, 2>& values, const Array<double>& y, const Optional<double>& weight,
             const Optional<double>& cases, const Dict& options, const Progress& progress) {
  const model_trees::NumericRows rows = to_rows(values, y, weight, cases);
  const model_trees::M5Options chosen = to_options(options);
  const std::vector<model_trees::ModelNode> nodes = watched(progress, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor);
    return model_trees::grow_m5(rows, chosen, watch);
  });
  return to_arrays(nodes);
}

// codes: the bin of each row, in a row for each column.
Dict grow_linear_tree(const Array<double, 2>& values, const Array<std::int32_t, 2>& codes,
                      const Array<double>& y, const Optional<double>& weight, const Optional<double>& cases,
                      const Dict& options, const Progress& progress) {
  const model_trees::NumericRows rows = to_rows(values, y, weight, cases);
  check(codes.n() == values.n() && codes.shape(1) == values.shape(1), "codes must be those of the values");
  check_codes(codes.data(), static_cast<std::int64_t>(codes.size()), rows.n_rows, "a code is out of range");
  model_trees::Codes of_columns;
  for (std::size_t column = 0; column < codes.n(); ++column)
    of_columns.push_back(codes.data() + column * codes.shape(1));
  model_trees::LinearTreeOptions chosen;
  Reader(options, "options")
      .read("ridge", chosen.ridge, "max_depth", chosen.max_depth, "min_cases", chosen.min_cases, "min_leaf",
            chosen.min_leaf, "prune", chosen.prune, "n_threads", chosen.n_threads);
  chosen.n_threads = checked_threads(chosen.n_threads);
  check(chosen.ridge >= 0 && std::isfinite(chosen.ridge), "ridge must be a finite number of at least 0");
  return to_arrays(watched(progress, [&](const bough::Monitor& monitor) {
    return model_trees::grow_linear_tree(rows, of_columns, chosen, monitor);
  }));
}

// The rows of a classification, whose scores are changed by boosting.
class LogisticRows {
 public:
  LogisticRows(Array<double, 2> values, Array<std::int32_t> code, int n_classes, Optional<double> weight)
      : values_(std::move(values)), code_(std::move(code)), weight_(std::move(weight)) {
    data_.numbers.n_rows = checked_rows(static_cast<std::int64_t>(values_.shape(1)), 1);
    for (std::size_t column = 0; column < values_.n(); ++column)
      data_.numbers.columns.push_back(values_.data() + column * values_.shape(1));
    check(n_classes >= 2, "there must be two classes");
    check(static_cast<std::int64_t>(code_.n()) == data_.numbers.n_rows, "y has the wrong length");
    check_codes(code_.data(), data_.numbers.n_rows, n_classes, "a class is out of range");
    check_finite(values_.data(), values_.size(), "values");
    data_.code = code_.data();
    data_.n_classes = n_classes;
    data_.numbers.weight = entries(weight_, data_.numbers.n_rows, "weights");
    for (std::int64_t i = 0; data_.numbers.weight && i < data_.numbers.n_rows; ++i)
      check(std::isfinite(data_.numbers.weight[i]) && data_.numbers.weight[i] > 0,
            "weights must be finite and above 0");
    scores_.resize(data_.numbers.n_rows * data_.n_scores());
  }

  int steps(const Array<std::uint32_t>& rows, const Array<std::int32_t>& fold, int max_steps, int n_threads,
            const Progress& progress) const {
    check_rows(rows);
    check(fold.n() == rows.n(), "there must be a fold for each row");
    check(max_steps >= 0, "there must be no negative number of steps");
    check_codes(fold.data(), static_cast<std::int64_t>(fold.n()), static_cast<std::int64_t>(fold.n()),
                "a fold is out of range");
    model_trees::BoostingOptions options;
    options.max_steps = max_steps;
    options.n_threads = checked_threads(n_threads);
    return watched(progress, [&](const bough::Monitor& monitor) {
      bough::Watch watch(monitor, max_steps);
      return model_trees::cross_validated_steps(data_, {rows.data(), rows.n()}, {fold.data(), fold.n()},
                                                scores_.data(), options, watch);
    });
  }

  nb::typed<nb::tuple, Output<double>, Output<double>> boost(const Array<std::uint32_t>& rows, int n_steps) {
    check_rows(rows);
    check(n_steps >= 0, "there must be no negative number of steps");
    model_trees::LogitBoost boosting(data_, {rows.data(), rows.n()}, {}, scores_.data());
    watched({}, [&](const bough::Monitor& monitor) {
      bough::Watch watch(monitor, n_steps);
      for (int step = 0; step < n_steps; ++step) {
        watch.poll_or_throw();
        boosting.step();
      }
    });
    boosting.put_scores(scores_.data());
    std::vector<double> intercepts = boosting.intercepts(), slopes = boosting.slopes();
    return nb::make_tuple(to_numpy(std::move(intercepts)), to_numpy(std::move(slopes)));
  }

  double errors(const Array<std::uint32_t>& rows) const {
    check_rows(rows);
    return model_trees::LogitBoost(data_, {}, {rows.data(), rows.n()}, scores_.data()).held_out_errors();
  }

 private:
  void check_rows(const Array<std::uint32_t>& rows) const {
    check(rows.n() >= 1, "there must be a row");
    for (const std::uint32_t row : rows)
      check(static_cast<std::int64_t>(row) < data_.numbers.n_rows, "a row is out of range");
  }

  Array<double, 2> values_;
  Array<std::int32_t> code_;
  Optional<double> weight_;
  model_trees::ClassRows data_;
  std::vector<double> scores_;  // score by score
};

nb::typed<nb::list, Dict> learn_m5_rules(const Array<double, 2>& values, const Array<double>& y,
                                         const Optional<double>& weight, const Optional<double>& cases,
                                         const Dict& options, const Progress& progress) {
  const model_trees::NumericRows rows = to_rows(values, y, weight, cases);
  const model_trees::M5Options chosen = to_options(options);
  const std::vector<model_trees::M5Rule> rules = watched(progress, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor, static_cast<double>(rows.n_rows));
    return model_trees::learn_m5_rules(rows, chosen, watch);
  });
  nb::list made;
  for (const model_trees::M5Rule& rule : rules) {
    nb::list conditions;
    for (const auto& each : rule.conditions)
      conditions.append(nb::make_tuple(each.column, each.cut, each.below, each.above, each.is_above));
    std::vector<std::int32_t> column(rule.model.column.begin(), rule.model.column.end());
    std::vector<double> coefficient = rule.model.coefficient;
    nb::dict d;
    d["conditions"] = conditions;
    d["intercept"] = rule.model.intercept;
    put(d, "column", column, "coefficient", coefficient);
    d["cases"] = rule.cases;
    d["weight"] = rule.weight;
    d["mean"] = rule.mean;
    d["risk"] = rule.risk;
    made.append(d);
  }
  return made;
}

namespace cubist = model_trees::cubist;

// columns: (values or codes, whether ordered, number of levels; -1 of a numeric column).
using CubistColumns = nb::typed<nb::list, nb::typed<nb::tuple, nb::any, bool, int>>;

cubist::Data to_cubist(const CubistColumns& columns, const Array<float>& y) {
  cubist::Data data;
  data.y.assign(y.begin(), y.end());
  check(y.n() >= 1, "there must be a row");
  for (const float value : data.y) check(std::isfinite(value), "y must be finite");
  for (nb::handle each : columns) {
    nb::tuple parts;
    cubist::Column column;
    check(nb::try_cast(each, parts) && parts.size() == 3 && nb::try_cast(parts[1], column.ordered) &&
              nb::try_cast(parts[2], column.n_levels),
          "a column must be (values, ordered, number of levels)");
    column.continuous = column.n_levels < 0;
    Array<float> values;
    Array<std::int32_t> codes;
    if (column.continuous) {
      check(nb::try_cast(parts[0], values) && values.n() == y.n(),
            "values must be float32, one for each row");
      column.value.assign(values.begin(), values.end());
      for (const float value : column.value) check(!std::isinf(value), "values must be finite");
    } else {
      check(nb::try_cast(parts[0], codes) && codes.n() == y.n(), "codes must be int32, one for each row");
      check_codes(codes.data(), static_cast<std::int64_t>(codes.n()), column.n_levels,
                  "a code is out of range", -1);
      column.code.assign(codes.begin(), codes.end());
    }
    data.columns.push_back(std::move(column));
  }
  return data;
}

// Training rows whose neighbours correct predictions.
class CubistNeighbours {
 public:
  CubistNeighbours(const CubistColumns& columns, const Array<float>& y, const Array<float>& mean,
                   const Array<float>& deviation, const Array<float>& predicted, int n_neighbours,
                   float max_distance, float floor, float ceiling)
      : n_columns_(mean.n()) {
    check(n_neighbours >= 1 && n_neighbours <= 9, "there must be 1 to 9 neighbours");
    check(predicted.n() == y.n(), "there must be a prediction for each row");
    for (const float each : predicted) check(std::isfinite(each), "predictions must be finite");
    cubist::Data data = to_cubist(columns, y);
    check(data.columns.size() == mean.n() && mean.n() == deviation.n(),
          "there must be a mean for each column");
    for (std::size_t c = 0; c < mean.n(); ++c) {
      cubist::Column& column = data.columns[c];
      // A deviation of 0 marks a column that does not count.
      column.used = deviation[c] > 0;
      column.mean = mean[c];
      column.deviation = deviation[c];
      n_levels_.push_back(column.n_levels);
    }
    check_known(data);
    neighbours_ = std::make_unique<cubist::Neighbours>(std::move(data),
                                                       std::vector<float>(predicted.begin(), predicted.end()),
                                                       n_neighbours, max_distance, floor, ceiling);
  }

  Output<double> correct(const CubistColumns& columns, const Array<float>& base) const {
    const cubist::Data data = to_cubist(columns, base);
    check(data.columns.size() == n_columns_, "the columns must be those of the training rows");
    for (std::size_t c = 0; c < n_columns_; ++c)
      check(data.columns[c].n_levels == n_levels_[c], "the columns must be those of the training rows");
    check_known(data);
    std::vector<double> corrected(base.n());
    watched({}, [&](const bough::Monitor& monitor) {
      bough::Watch watch(monitor, static_cast<double>(base.n()));
      for (std::size_t row = 0; row < base.n(); ++row) {
        if (row % 256 == 0) watch.poll_or_throw();
        corrected[row] = neighbours_->correct(data, static_cast<int>(row), base[row]);
      }
    });
    return to_numpy(std::move(corrected));
  }

 private:
  static void check_known(const cubist::Data& data) {
    for (const cubist::Column& column : data.columns) {
      for (const float value : column.value) check(!std::isnan(value), "a value is missing");
      for (const int code : column.code) check(code >= 0, "a level is missing");
    }
  }

  std::size_t n_columns_;
  std::vector<int> n_levels_;
  std::unique_ptr<cubist::Neighbours> neighbours_;
};

nb::dict to_dict(const cubist::Rule& rule) {
  nb::list conditions;
  for (const cubist::Condition& each : rule.conditions) {
    std::vector<int> codes;
    for (std::size_t code = 0; code < each.levels.size(); ++code)
      if (each.levels[code]) codes.push_back(static_cast<int>(code));
    conditions.append(nb::make_tuple(each.column, each.cut, each.above, codes));
  }
  nb::dict d;
  d["conditions"] = conditions;
  std::vector<double> model = rule.model;
  put(d, "model", model);
  d["cover"] = rule.cover;
  d["mean"] = rule.mean;
  d["low"] = rule.low;
  d["high"] = rule.high;
  d["error"] = rule.error;
  return d;
}

Dict learn_cubist(const CubistColumns& columns, const Array<float>& y, const Dict& options,
                  const Progress& progress) {
  cubist::Data data = to_cubist(columns, y);
  cubist::prepare(data);
  cubist::Options chosen;
  double extrapolation = 1;
  Reader(options, "options")
      .read("n_committees", chosen.n_committees, "max_rules", chosen.max_rules, "unbiased", chosen.unbiased,
            "extrapolation", extrapolation);
  chosen.extrapolation = static_cast<float>(extrapolation);
  check(chosen.n_committees >= 1 && chosen.max_rules >= 1, "there must be a member and a rule");
  const cubist::Model model = watched(progress, [&](const bough::Monitor& monitor) {
    bough::Watch watch(monitor, chosen.n_committees);
    return cubist::learn(data, chosen, watch);
  });
  nb::list committee;
  for (const auto& rules : model.committee) {
    nb::list made;
    for (const cubist::Rule& rule : rules) made.append(to_dict(rule));
    committee.append(made);
  }
  std::vector<float> mean, deviation;
  std::vector<std::int32_t> mode;
  for (const cubist::Column& column : data.columns) {
    mean.push_back(column.mean);
    deviation.push_back(column.used ? column.deviation : 0);
    mode.push_back(column.mode);
  }
  nb::dict d;
  d["committee"] = committee;
  d["global_mean"] = model.mean;
  d["floor"] = model.floor;
  d["ceiling"] = model.ceiling;
  d["max_distance"] = cubist::mean_distance(data);
  put(d, "mean", mean, "deviation", deviation, "mode", mode);
  return d;
}

// Predictions of the rows of a table, each by the model of its node; `answer` where the node has none.
Output<double> predict_by_models(const Dict& models, const ColumnList& columns, std::int64_t n_rows,
                                 const Array<std::int32_t>& node, const Array<double>& answer,
                                 int n_threads) {
  const Table table(columns, n_rows);
  Array<double> intercept, coefficient, substitute;
  Array<std::int64_t> start;
  Array<std::int32_t> column;
  const Reader reader(models, "models");
  reader.read("intercept", intercept, "start", start, "column", column, "coefficient", coefficient,
              "substitute", substitute);
  check_lengths(column.n(), "the arrays of the terms differ in length", coefficient, substitute);
  check(start.n() == intercept.n() + 1, "the starts of the terms have the wrong length");
  check_starts(start, column.n(), "the terms of a node are out of range");
  check_codes(column.data(), column.n(), table.columns.size(), "a term's column is out of range");
  check(static_cast<std::int64_t>(node.n()) == n_rows && node.n() == answer.n(),
        "nodes and answers must be those of the rows");
  check_codes(node.data(), n_rows, intercept.n(), "a node is out of range");
  bough::LeafModelView view{intercept.data(), start.data(), column.data(), coefficient.data(),
                            substitute.data()};
  const std::optional<TermBounds> bounds = TermBounds::of(models, column.n());
  if (bounds) {
    view.lowest = bounds->lowest.data();
    view.highest = bounds->highest.data();
  }
  Array<std::int64_t> level_start;
  Array<std::int32_t> level_code;
  if (models.contains("level_start")) {
    reader.read("level_start", level_start, "level_code", level_code);
    check(level_start.n() == column.n() + 1, "the starts of the levels have the wrong length");
    check_starts(level_start, level_code.n(), "the levels of a term are out of range");
    view.level_start = level_start.data();
    view.level_code = level_code.data();
  }
  for (const std::int32_t each : column)
    check(view.level_start || table.columns[each].scale == bough::Scale::numeric, "a term lacks its levels");
  std::vector<double> answers(answer.begin(), answer.end());
  watched({}, [&](const bough::Monitor& monitor) {
    bough::predict_by_models(view, table.columns, n_rows, node.data(), checked_threads(n_threads),
                             answers.data(), monitor);
  });
  return to_numpy(std::move(answers));
}

}  // namespace

void init_model_trees(nb::module_& m) {
  using namespace nb::literals;
  m.def("grow_m5", &grow_m5, "values"_a, "y"_a, "weight"_a.none(), "cases"_a.none(), "options"_a,
        "progress"_a.none(), "Grows an M5 tree on columns of numbers, one in each row of `values`.");
  m.def("grow_linear_tree", &grow_linear_tree, "values"_a, "codes"_a, "y"_a, "weight"_a.none(),
        "cases"_a.none(), "options"_a, "progress"_a.none(),
        "Grows a tree whose splits are judged by the linear models of their sides.");
  nb::class_<LogisticRows>(m, "LogisticRows", "Rows whose scores are fitted by LogitBoost with lines.")
      .def(nb::init<Array<double, 2>, Array<std::int32_t>, int, Optional<double>>(), "values"_a, "code"_a,
           "n_classes"_a, "weight"_a.none())
      .def("steps", &LogisticRows::steps, "rows"_a, "fold"_a, "max_steps"_a, "n_threads"_a,
           "progress"_a.none(), "The number of steps of least cross-validated errors.")
      .def("boost", &LogisticRows::boost, "rows"_a, "n_steps"_a,
           "Adds steps to the scores of some rows; returns their intercepts and slopes, score by score.")
      .def("errors", &LogisticRows::errors, "rows"_a,
           "The weight of the rows whose class has not the greatest score.");
  m.def("learn_m5_rules", &learn_m5_rules, "values"_a, "y"_a, "weight"_a.none(), "cases"_a.none(),
        "options"_a, "progress"_a.none(),
        "Learns the rules of M5Rules: conditions (column, cut, neighbours, whether above) and a model each.");
  nb::class_<CubistNeighbours>(m, "CubistNeighbours", "Training rows whose neighbours correct predictions.")
      .def(nb::init<const CubistColumns&, const Array<float>&, const Array<float>&, const Array<float>&,
                    const Array<float>&, int, float, float, float>(),
           "columns"_a, "y"_a, "mean"_a, "deviation"_a, "predicted"_a, "n_neighbours"_a, "max_distance"_a,
           "floor"_a, "ceiling"_a)
      .def("correct", &CubistNeighbours::correct, "columns"_a, "base"_a,
           "Corrects the predictions of the rules by the neighbours of each row.");
  m.def("learn_cubist", &learn_cubist, "columns"_a, "y"_a, "options"_a, "progress"_a.none(),
        "Learns the rules of Cubist: a list of rules for each member of the committee.");
  m.def("predict_by_models", &predict_by_models, "models"_a, "columns"_a, "n_rows"_a, "node"_a, "answer"_a,
        "n_threads"_a, "Predicts each row by the linear model of its node.");
}
