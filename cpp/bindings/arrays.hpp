// What passes between numpy and C++: views in, owned arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace bough_python {

namespace nb = nanobind;

// A contiguous array that Python hands over. One with gaps is copied; one of another element type is refused,
// never converted.
template <class T, int Dimensions = 1>
struct Array : nb::ndarray<nb::numpy, const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu> {
  using View = nb::ndarray<nb::numpy, const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

  Array() = default;
  explicit Array(View view) : View(std::move(view)) {}

  std::size_t n() const { return this->shape(0); }
  const T& operator[](std::size_t i) const { return this->data()[i]; }
  const T* begin() const { return this->data(); }
  const T* end() const { return this->data() + this->size(); }
};

// An array or None.
template <class T>
using Optional = std::optional<Array<T>>;

template <class T>
using Output = nb::ndarray<nb::numpy, T>;

// Hands a vector over to numpy without copying.
template <class T, class Allocator>
Output<T> to_numpy(std::vector<T, Allocator>&& values, std::vector<std::size_t> shape) {
  using Vector = std::vector<T, Allocator>;
  auto owned = std::make_unique<Vector>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<Vector*>(p); });
  owned.release();
  return Output<T>(data, shape.size(), shape.data(), owner);
}

template <class T, class Allocator>
Output<T> to_numpy(std::vector<T, Allocator>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

// dict[str, Any]: named settings or arrays.
using Dict = nb::typed<nb::dict, nb::str, nb::any>;

// Hands vectors over to numpy under their names: put(d, "parent", parent, "column", column).
inline void put(nb::dict&) {}
template <class Vector, class... More>
void put(nb::dict& to, const char* name, Vector&& values, More&&... more) {
  to[name] = to_numpy(std::move(values));
  put(to, std::forward<More>(more)...);
}

}  // namespace bough_python

namespace nanobind::detail {

template <class T, int Dimensions>
struct type_caster<bough_python::Array<T, Dimensions>> {
  using Wanted = bough_python::Array<T, Dimensions>;
  using Contiguous = make_caster<typename Wanted::View>;
  using Strided = make_caster<nanobind::ndarray<const T, ndim<Dimensions>, device::cpu>>;
  using Named = make_caster<nanobind::ndarray<nanobind::numpy, T, ndim<Dimensions>>>;
  // Any strides will do, and nothing is written: the name says the type and the shape alone.
  NB_TYPE_CASTER(Wanted, Named::Name)

  template <class Flags>
  bool from_python(handle from, Flags flags, cleanup_list* cleanup) noexcept {
    const auto exactly = static_cast<Flags>(flags & ~static_cast<Flags>(cast_flags::convert));
    Strided strided;
    if (from.is_none() || !strided.from_python(from, exactly, cleanup)) return false;
    Contiguous contiguous;
    const auto copying = static_cast<Flags>(flags | static_cast<Flags>(cast_flags::convert));
    if (!contiguous.from_python(from, copying, cleanup)) return false;
    value = Wanted(std::move(contiguous.value));
    return true;
  }
};

}  // namespace nanobind::detail
