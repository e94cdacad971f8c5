// Finds the best cut of a column among several classes that are counted, under Gini, without putting the
// node's rows in order: as CountSearch does for two classes. Sums of counts are exact, so that the cuts and
// their values are those of a scan to the bit.
//
// The rows are counted by class in bins of neighbouring codes. Cuts between bins are bounded as they are; a
// bin is looked into only if some order of its rows could make a cut within it the best. Few rows are
// compared each with each instead.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bough/criteria/list.hpp"
#include "bough/forest/cells.hpp"
#include "bough/forest/class_kernels.hpp"
#include "bough/forest/count_kernels.hpp"
#include "bough/forest/forest_split.hpp"
#include "bough/forest/view.hpp"

namespace bough {

class ClassSearch {
 public:
  static constexpr int kFewRows = 128;  // that are compared each with each

  // most_rows: of any node.
  ClassSearch(const Evaluator& evaluator, std::size_t most_rows);

  // The least weight of a side.
  void set_least(double weight);

  // Begins a node. Returns whether its columns can be searched: sums of its weights must stay exact.
  bool start(const std::uint32_t* index, int n, const RowView& view, const NodeSums& sums);

  // Betters `best` if a cut of the column can, of several equal ones by that of the column seen first and
  // there by the lowest; codes: of each row, by index, none of them missing.
  void search(int column, const Cells<std::uint32_t>& codes, ForestSplit& best);
  // Looks into the bins of the columns seen so far that may hold a better cut.
  void look_closer(ForestSplit& best);

 private:
  // A column whose bins may be worth a closer look.
  struct Way {
    int column = -1;
    int order = 0;  // among the columns of a node
    Cells<std::uint32_t> codes;
    const std::int32_t* kept = nullptr;  // the codes of the node's rows, if they were kept
    std::int32_t low = 0, high = 0;
    int shift = 0, n_bins = 0;
    float peak = 0;  // the highest bound of a bin
  };
  // Sums over the classes on the left of a cut.
  struct Left {
    double weight = 0, squares = 0, products = 0;
  };
  static constexpr int kMostBins = OpenClassBins::kMost, kMostWays = 8, kMostKept = 8192;

  void group_rows(const std::uint32_t* index, int n, const RowView& view);
  void search_few(int column, const Cells<std::uint32_t>& codes, ForestSplit& best);
  void search_bins(int column, const Cells<std::uint32_t>& codes, ForestSplit& best);
  void offer_behind(const Way& way, const std::uint32_t* content, const float* behind, float peak,
                    ForestSplit& best);
  void look_into(const Way& way, const std::uint32_t* content, const float* within, ForestSplit& best);
  void list_open(const Way& way);
  void order_listed(int n_bins);
  double value_of(const Left& left, const double* counts);
  void offer(int column, int order, double value, std::uint32_t last, ForestSplit& best);
  void count_left(const std::uint32_t* content, int n_bins, Left& left);

  const Evaluator& evaluator_;
  const CountKernels& fetching_ = count_kernels();
  const ClassKernels& kernels_ = class_kernels();
  const int k_, width_;  // classes; the same up to whole vectors
  double least_ = 1;
  // The node.
  const std::uint32_t* index_ = nullptr;
  int n_ = 0;
  double weight_ = 0;
  bool exact_ = false, few_ = false;  // values follow from sums of squares; rows are compared
  std::optional<Gini::Bound> gini_;
  int order_ = 0, best_order_ = -1;
  std::vector<double> total_, left_, right_;
  // Few rows, grouped by class, with the end and the weight of each class that occurs.
  std::uint32_t few_index_[kFewRows];
  std::int32_t few_code_[kFewRows + kClassLanes], few_count_[kFewRows];
  std::int32_t few_left_[kFewRows + kClassLanes], few_squares_[kFewRows + kClassLanes],
      few_products_[kFewRows + kClassLanes];
  std::int32_t end_[kMostCountedClasses], class_weight_[kMostCountedClasses];
  int n_present_ = 0;
  // Many rows: the class and the weight of each, and what their bounds are made of.
  std::vector<std::uint32_t> label_, count_;
  std::vector<float> share_, slack_;
  std::vector<Way> ways_;
  std::vector<std::uint32_t> content_;
  std::vector<float> behind_, within_;
  std::vector<std::int32_t> kept_, passing_;
  OpenClassBins open_;
  std::vector<std::uint64_t> listed_, keys_;  // rows of open bins: as they were listed, and by code
  int n_keys_ = 0;
};

}  // namespace bough
