#include "bough/optimal/search.hpp"
#include "table.hpp"

namespace {

using namespace bough_python;

}  // namespace

void init_optimal(nb::module_&) {}
