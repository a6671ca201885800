#include "capi/batch_arrays.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "capi/array_struct.h"
#include "capi/dlpack.h"
#include "capi/python.h"

namespace qanat {
namespace {

template <typename T>
qanat_array view_of(std::span<const T> values, qanat_type type, std::array<std::int64_t, 3> shape) {
  const int dimensions = shape[1] == 0 ? 1 : shape[2] == 0 ? 2 : 3;
  // Owned by the reader until it is given back, so it may be written to as well.
  return {.data = values.empty() ? nullptr : const_cast<T*>(values.data()),
          .type = type,
          .dimensions = dimensions,
          .shape = {shape[0], shape[1], shape[2]}};
}

dlpack::DataType type_of(const qanat_array& array) {
  switch (array.type) {
    case QANAT_F32:
      return {.code = dlpack::kFloat, .bits = 32};
    case QANAT_S16:
      return {.code = dlpack::kInt, .bits = 16};
    default:
      return {.code = dlpack::kInt, .bits = 32};
  }
}

// A tensor, the numbers it points to, and the batch it keeps. Freed by its deleter.
template <typename Managed>
struct Export {
  Managed managed{};
  SharedBatch batch;
  std::array<std::int64_t, 3> shape{};
  std::array<std::int64_t, 3> strides{};
};

template <typename Managed>
void free_export(Managed* managed) {
  delete static_cast<Export<Managed>*>(managed->context);
}

template <typename Managed>
Managed* make_export(const SharedBatch& batch, const qanat_array& array) {
  auto made = std::make_unique<Export<Managed>>();
  made->batch = batch;
  std::int64_t stride = 1;
  for (auto i = static_cast<std::size_t>(array.dimensions); i-- > 0;) {
    made->shape[i] = array.shape[i];
    made->strides[i] = stride;
    stride *= array.shape[i];
  }
  made->managed.tensor = {.data = array.data,
                          .dimensions = array.dimensions,
                          .type = type_of(array),
                          .shape = made->shape.data(),
                          .strides = made->strides.data()};
  made->managed.context = made.get();
  made->managed.deleter = free_export<Managed>;
  return &made.release()->managed;
}

// Names by which a capsule says what it holds; whoever takes the tensor renames it.
template <typename Managed>
constexpr const char* kCapsule = "dltensor";
template <>
constexpr const char* kCapsule<dlpack::VersionedTensor> = "dltensor_versioned";

// Called by Python with its lock, when nobody refers to the capsule any more.
template <typename Managed>
void drop_capsule(void* capsule) {
  const Python& python = *Python::find();
  if (python.is_capsule(capsule, kCapsule<Managed>) !=
      0) {  // otherwise the tensor has another owner
    auto* managed = static_cast<Managed*>(python.capsule_pointer(capsule, kCapsule<Managed>));
    managed->deleter(managed);
  }
}

template <typename Managed>
void* capsule_of(const SharedBatch& batch, const qanat_array& array) {
  Managed* managed = make_export<Managed>(batch, array);
  void* capsule = Python::find()->new_capsule(managed, kCapsule<Managed>, drop_capsule<Managed>);
  if (capsule == nullptr) {
    managed->deleter(managed);
  }
  return capsule;
}

// What a capsule of __array_struct__ points to.
struct ArrayDescription {
  ArrayStruct array{};
  std::array<std::ptrdiff_t, 3> shape{};
  std::array<std::ptrdiff_t, 3> strides{};
};

void drop_array_struct(void* capsule) {
  // The struct is the first member of what was made.
  delete static_cast<ArrayDescription*>(Python::find()->capsule_pointer(capsule, nullptr));
}

}  // namespace

qanat_array array_of(const Batch& batch, qanat_field field) {
  const std::int64_t rows = batch.rows();
  const std::int64_t values = static_cast<std::int64_t>(batch.layout().row_values());
  const auto items = batch.items();
  switch (field) {
    case QANAT_MEL:
      return view_of(
          batch.mel(), QANAT_F32, {rows, batch.frames(), batch.layout().format.mel_bins});
    case QANAT_AUDIO:
      return view_of(batch.pcm(), QANAT_S16, {rows, values, 0});
    case QANAT_TOKENS:
      return view_of(batch.tokens(), QANAT_I32, {rows, batch.max_tokens(), 0});
    case QANAT_MEL_LENGTHS:
      return view_of(batch.mel_lengths(), QANAT_I32, {rows, 0, 0});
    case QANAT_AUDIO_LENGTHS:
      return view_of(batch.sample_lengths(), QANAT_I32, {rows, 0, 0});
    case QANAT_TOKEN_LENGTHS:
      return view_of(batch.token_lengths(), QANAT_I32, {rows, 0, 0});
    case QANAT_SPEAKERS:
      return view_of(batch.speakers(), QANAT_I32, {rows, 0, 0});
    case QANAT_ITEMS:  // a data set has fewer than 2^31 utterances
      return view_of(items, QANAT_I32, {rows, 0, 0});
    default:
      return {};
  }
}

void* make_capsule(const SharedBatch& batch, qanat_field field, int major) {
  const qanat_array array = array_of(*batch, field);
  if (array.data == nullptr) {
    return nullptr;
  }
  return major >= 1 ? capsule_of<dlpack::VersionedTensor>(batch, array)
                    : capsule_of<dlpack::ManagedTensor>(batch, array);
}

void* make_array_struct(const Batch& batch, qanat_field field) {
  const qanat_array array = array_of(batch, field);
  if (array.data == nullptr) {
    return nullptr;
  }
  const dlpack::DataType type = type_of(array);
  auto made = std::make_unique<ArrayDescription>();
  made->array.dimensions = array.dimensions;
  made->array.kind = type.code == dlpack::kFloat ? 'f' : 'i';
  made->array.item_bytes = type.bits / 8;
  made->array.shape = made->shape.data();
  made->array.strides = made->strides.data();
  made->array.data = array.data;
  std::ptrdiff_t stride = made->array.item_bytes;
  for (auto i = static_cast<std::size_t>(array.dimensions); i-- > 0;) {
    made->shape[i] = array.shape[i];
    made->strides[i] = stride;
    stride *= array.shape[i];
  }
  void* capsule = Python::find()->new_capsule(made.get(), nullptr, drop_array_struct);
  if (capsule != nullptr) {
    static_cast<void>(made.release());  // the capsule's
  }
  return capsule;
}

}  // namespace qanat
