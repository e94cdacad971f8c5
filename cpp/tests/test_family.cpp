// The parents and children of nodes that are numbered level by level.
#include <stdexcept>

#include "bough/predict/family.hpp"
#include "harness.hpp"

namespace bough::tests {

namespace {

using Numbers = std::vector<std::int32_t>;

Family family_of(const Numbers& n_children, const std::vector<std::int64_t>& roots) {
  return family(n_children.data(), static_cast<std::int64_t>(n_children.size()), roots);
}

bool is_refused(const Numbers& n_children, const std::vector<std::int64_t>& roots) {
  try {
    family_of(n_children, roots);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(children_follow_those_of_the_nodes_before) {
  const Family of = family_of({2, 0, 3, 0, 0, 0}, {0});
  CHECK((Numbers(of.parent.begin(), of.parent.end()) == Numbers{-1, 0, 0, 2, 2, 2}));
  CHECK((Numbers(of.first_child.begin(), of.first_child.end()) == Numbers{1, -1, 3, -1, -1, -1}));
}

TEST(each_tree_of_several_begins_at_its_root) {
  const Family of = family_of({0, 2, 0, 0, 2, 0, 0}, {0, 1, 4});
  CHECK((Numbers(of.parent.begin(), of.parent.end()) == Numbers{-1, -1, 1, 1, -1, 4, 4}));
  CHECK((Numbers(of.first_child.begin(), of.first_child.end()) == Numbers{-1, 2, -1, -1, 5, -1, -1}));
}

TEST(numbers_of_children_that_describe_no_tree_are_refused) {
  CHECK(is_refused({2, 0}, {0}));           // fewer nodes than children
  CHECK(is_refused({0, 2, 0, 0}, {0}));     // a node without a parent
  CHECK(is_refused({2, 0, 0, 0}, {0}));     // a node too many
  CHECK(is_refused({2, -1, 0}, {0}));       // no number
  CHECK(is_refused({2, 0, 0}, {1}));        // the first node is no root
  CHECK(is_refused({2, 0, 0, 0}, {0, 2}));  // a root within a tree
  CHECK(is_refused({0}, {0, 5}));           // a root beyond the nodes
  CHECK(family_of({}, {}).parent.empty());
}

}  // namespace bough::tests
