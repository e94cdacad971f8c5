// What passes between numpy and C++: views in, owned arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bough_python {

namespace nb = nanobind;

template <class T, int Dimensions>
using Input = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

template <class T>
using Output = nb::ndarray<nb::numpy, T>;

// An array that may be None.
template <class T>
using Given = std::optional<Input<T, 1>>;

// Its entries, of which there must be so many; null if there is none.
template <class T>
const T* data_of(const Given<T>& array, std::int64_t n, const char* what) {
  if (!array) return nullptr;
  if (static_cast<std::int64_t>(array->shape(0)) != n)
    throw std::invalid_argument(std::string(what) + " have the wrong length");
  return array->data();
}

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

}  // namespace bough_python
