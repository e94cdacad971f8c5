// The root of the extension: one init function a concept.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void init_bins(nb::module_& m);
void init_boost(nb::module_& m);
void init_boost_elsewhere(nb::module_& m);
void init_c50(nb::module_& m);
void init_checksum(nb::module_& m);
void init_complexity(nb::module_& m);
void init_conditional(nb::module_& m);
void init_family(nb::module_& m);
void init_forest(nb::module_& m);
void init_grow(nb::module_& m);
void init_held_out(nb::module_& m);
void init_lasso(nb::module_& m);
void init_model_trees(nb::module_& m);
void init_optimal(nb::module_& m);
void init_quinlan(nb::module_& m);
void init_router(nb::module_& m);
void init_search(nb::module_& m);
void init_sweep(nb::module_& m);

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // a model that outlives the interpreter is no fault
  m.doc() = "Native kernels of bough";
  init_bins(m);
  init_boost(m);
  init_boost_elsewhere(m);
  init_c50(m);
  init_checksum(m);
  init_complexity(m);
  init_conditional(m);
  init_family(m);
  init_forest(m);
  init_grow(m);
  init_held_out(m);
  init_lasso(m);
  init_model_trees(m);
  init_optimal(m);
  init_quinlan(m);
  init_router(m);
  init_search(m);
  init_sweep(m);
}
