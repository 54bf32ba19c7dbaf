// Runs slices in ONNX Runtime by its C API. Only its header is needed to build; the library is
// loaded when it is asked for.
#include <dlfcn.h>
#include <fmt/format.h>
#include <onnxruntime_c_api.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "diag/printable.h"
#include "run/runner.h"

namespace onnx_shapes {
namespace {

/// The version of the first release that reads slices. Later versions only add to it.
constexpr uint32_t kApiVersion = 18;
static_assert(ORT_API_VERSION >= kApiVersion, "the header is older than ONNX Runtime 1.18");

constexpr size_t kMaxComplaint = 500;  // bytes

struct Release {
  const OrtApi* api;
  void operator()(OrtEnv* env) const { api->ReleaseEnv(env); }
  void operator()(OrtSession* session) const { api->ReleaseSession(session); }
  void operator()(OrtRunOptions* options) const { api->ReleaseRunOptions(options); }
  void operator()(OrtSessionOptions* options) const { api->ReleaseSessionOptions(options); }
  void operator()(OrtMemoryInfo* info) const { api->ReleaseMemoryInfo(info); }
  void operator()(OrtValue* value) const { api->ReleaseValue(value); }
  void operator()(OrtTensorTypeAndShapeInfo* info) const {
    api->ReleaseTensorTypeAndShapeInfo(info);
  }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

/// Calls a function at some time, unless it is gone by then.
class Alarm {
 public:
  Alarm(std::chrono::steady_clock::time_point when, std::function<void()> ring)
      : thread_([this, when, ring = std::move(ring)] {
          std::unique_lock lock(mutex_);
          if (!gone_.wait_until(lock, when, [this] { return stopped_; })) ring();
        }) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    gone_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable gone_;
  bool stopped_ = false;
  std::thread thread_;  // last, since it uses the others
};

/// Thrown within this file only.
struct Complaint {
  std::string text;
};

class OnnxRuntime : public Runner {
 public:
  explicit OnnxRuntime(const OrtApi* api)
      : api_(api), env_(nullptr, {api}), memory_(nullptr, {api}) {
    check(api_->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "onnx-shapes", out(env_)));
    check(api_->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, out(memory_)));
    check(api_->GetAllocatorWithDefaultOptions(&allocator_));
  }

  Result<std::vector<StoredValue>, std::string> run(const ModelSlice& slice,
                                                    std::span<const RunInput> inputs,
                                                    const RunLimits& limits) override {
    const auto late = [&] {
      return limits.deadline && std::chrono::steady_clock::now() > *limits.deadline;
    };
    try {
      return run_slice(slice, inputs, limits);
    } catch (const Complaint& complaint) {
      if (late()) return Failure{std::string("the time limit ended it (--timeout)")};
      return Failure{complaint.text};
    }
  }

 private:
  /// What values of a run refer to.
  struct Kept {
    std::vector<Owned<OrtValue>> values;
    std::vector<std::vector<std::max_align_t>> copies;
  };

  /// For a parameter through which the API gives an object.
  template <class T>
  class Out {
   public:
    explicit Out(Owned<T>& owner) : owner_(owner) {}
    Out(const Out&) = delete;
    Out& operator=(const Out&) = delete;
    ~Out() { owner_.reset(object_); }
    operator T**() { return &object_; }  // NOLINT(*-explicit-*)

   private:
    Owned<T>& owner_;
    T* object_ = nullptr;
  };
  template <class T>
  static Out<T> out(Owned<T>& owner) {
    return Out<T>(owner);
  }

  void check(OrtStatus* status) const {
    if (status == nullptr) return;
    std::string text = api_->GetErrorMessage(status);
    api_->ReleaseStatus(status);
    if (text.size() > kMaxComplaint) text.resize(kMaxComplaint);
    std::replace(text.begin(), text.end(), '\n', ' ');
    throw Complaint{printable(text)};
  }

  [[nodiscard]] Owned<OrtSession> session_of(const ModelSlice& slice) const;
  [[nodiscard]] Owned<OrtValue> value_of(const RunInput& input, Kept& kept) const;
  [[nodiscard]] Owned<OrtValue> tensor_of(std::span<const uint8_t> bytes, ElemType elem,
                                          const std::vector<int64_t>& dims, Kept& kept) const;
  [[nodiscard]] Owned<OrtValue> strings_of(const RunInput& input) const;
  [[nodiscard]] StoredValue result_of(const OrtValue* value, const ValueLimits& limits) const;
  void read_tensor(const OrtValue* value, const ValueLimits& limits, StoredValue& result) const;
  [[nodiscard]] std::vector<StoredValue> run_slice(const ModelSlice& slice,
                                                   std::span<const RunInput> inputs,
                                                   const RunLimits& limits) const;

  const OrtApi* api_;
  Owned<OrtEnv> env_;
  Owned<OrtMemoryInfo> memory_;
  OrtAllocator* allocator_ = nullptr;
};

/// The nodes run as they are: what is optimized pays only over many runs.
Owned<OrtSession> OnnxRuntime::session_of(const ModelSlice& slice) const {
  Owned<OrtSessionOptions> options(nullptr, {api_});
  check(api_->CreateSessionOptions(out(options)));
  check(api_->SetSessionGraphOptimizationLevel(options.get(), ORT_DISABLE_ALL));
  check(api_->SetSessionLogSeverityLevel(options.get(), ORT_LOGGING_LEVEL_FATAL));
  Owned<OrtSession> session(nullptr, {api_});
  check(api_->CreateSessionFromArray(env_.get(), slice.bytes.data(), slice.bytes.size(),
                                     options.get(), out(session)));
  return session;
}

/// The bytes are used where they are. Those of a file may begin anywhere, which kernels do not
/// expect: they are copied then.
Owned<OrtValue> OnnxRuntime::tensor_of(std::span<const uint8_t> bytes, ElemType elem,
                                       const std::vector<int64_t>& dims, Kept& kept) const {
  // It is read only, but the API has no const there.
  void* data = const_cast<uint8_t*>(bytes.data());  // NOLINT(*-const-cast)
  constexpr size_t kAlignment = alignof(std::max_align_t);
  if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0) {
    auto& copy = kept.copies.emplace_back(bytes.size() / sizeof(std::max_align_t) + 1);
    data = copy.data();
    std::memcpy(data, bytes.data(), bytes.size());
  }
  Owned<OrtValue> value(nullptr, {api_});
  check(api_->CreateTensorWithDataAsOrtValue(
      memory_.get(), data, bytes.size(), dims.data(), dims.size(),
      static_cast<ONNXTensorElementDataType>(elem), out(value)));
  return value;
}

Owned<OrtValue> OnnxRuntime::strings_of(const RunInput& input) const {
  Owned<OrtValue> value(nullptr, {api_});
  check(api_->CreateTensorAsOrtValue(allocator_, input.dims.data(), input.dims.size(),
                                     ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, out(value)));
  std::vector<const char*> strings;
  for (const std::string& text : input.strings) strings.push_back(text.c_str());
  check(api_->FillStringTensor(value.get(), strings.data(), strings.size()));
  return value;
}

/// Null is an empty optional.
Owned<OrtValue> OnnxRuntime::value_of(const RunInput& input, Kept& kept) const {
  if (input.kind == DeclaredType::Kind::kOptional) {
    if (input.elements.empty()) return {nullptr, {api_}};
    return value_of(input.elements.front(), kept);
  }
  if (input.kind != DeclaredType::Kind::kSequence) {
    return input.elem == ElemType::kString ? strings_of(input)
                                           : tensor_of(input.bytes, input.elem, input.dims, kept);
  }
  if (input.elements.empty()) {
    throw Complaint{"an empty sequence cannot be given as an input"};
  }
  std::vector<const OrtValue*> elements;
  for (const RunInput& element : input.elements) {
    kept.values.push_back(value_of(element, kept));
    elements.push_back(kept.values.back().get());
  }
  Owned<OrtValue> value(nullptr, {api_});
  check(api_->CreateValue(elements.data(), elements.size(), ONNX_TYPE_SEQUENCE, out(value)));
  return value;
}

void OnnxRuntime::read_tensor(const OrtValue* value, const ValueLimits& limits,
                              StoredValue& result) const {
  Owned<OrtTensorTypeAndShapeInfo> info(nullptr, {api_});
  check(api_->GetTensorTypeAndShape(value, out(info)));
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(api_->GetTensorElementType(info.get(), &type));
  result.elem = elem_type(type);
  size_t rank = 0;
  check(api_->GetDimensionsCount(info.get(), &rank));
  result.dims.resize(rank);
  check(api_->GetDimensions(info.get(), result.dims.data(), rank));
  size_t count = 0;
  check(api_->GetTensorShapeElementCount(info.get(), &count));
  const uint32_t bits = element_bits(result.elem);
  const bool whole = is_integer(result.elem) || result.elem == ElemType::kBool;
  if (bits < 8 || count > (whole ? limits.integers : limits.numbers)) return;
  void* data = nullptr;
  // The data is not changed, but the API has no const there.
  auto* const readable = const_cast<OrtValue*>(value);  // NOLINT(*-const-cast)
  check(api_->GetTensorMutableData(readable, &data));
  set_contents(result, {static_cast<const uint8_t*>(data), count * (bits / 8)});
}

StoredValue OnnxRuntime::result_of(const OrtValue* value, const ValueLimits& limits) const {
  StoredValue result;
  int holds = 0;
  if (value != nullptr) check(api_->HasValue(value, &holds));
  if (holds == 0) {
    result.kind = DeclaredType::Kind::kOptional;
    return result;
  }
  ONNXType type = ONNX_TYPE_UNKNOWN;
  check(api_->GetValueType(value, &type));
  switch (type) {
    case ONNX_TYPE_TENSOR:
      read_tensor(value, limits, result);
      break;
    case ONNX_TYPE_SEQUENCE: {
      result.kind = DeclaredType::Kind::kSequence;
      size_t count = 0;
      check(api_->GetValueCount(value, &count));
      for (size_t i = 0; i < count; ++i) {
        Owned<OrtValue> element(nullptr, {api_});
        check(api_->GetValue(value, static_cast<int>(i), allocator_, out(element)));
        result.elements.push_back(result_of(element.get(), limits));
      }
      break;
    }
    default:
      result.kind = DeclaredType::Kind::kNone;
  }
  return result;
}

std::vector<StoredValue> OnnxRuntime::run_slice(const ModelSlice& slice,
                                                std::span<const RunInput> inputs,
                                                const RunLimits& limits) const {
  const Owned<OrtSession> session = session_of(slice);
  Kept kept;
  Owned<OrtRunOptions> options(nullptr, {api_});
  check(api_->CreateRunOptions(out(options)));
  std::vector<const OrtValue*> given;
  std::vector<const char*> input_names;
  const auto give = [&](const std::string& name, Owned<OrtValue> value) {
    kept.values.push_back(std::move(value));
    given.push_back(kept.values.back().get());
    input_names.push_back(name.c_str());
  };
  for (const RunInput& input : inputs) give(input.name, value_of(input, kept));
  for (const ModelSlice::Weights& weights : slice.weights) {
    give(weights.name, tensor_of(weights.bytes, weights.elem, weights.dims, kept));
  }
  std::vector<const char*> output_names;
  for (const std::string& name : slice.output_names) output_names.push_back(name.c_str());
  std::vector<OrtValue*> got(output_names.size());
  std::optional<Alarm> alarm;
  if (limits.deadline) {
    alarm.emplace(*limits.deadline,
                  [&] { api_->ReleaseStatus(api_->RunOptionsSetTerminate(options.get())); });
  }
  check(api_->Run(session.get(), options.get(), input_names.data(), given.data(), given.size(),
                  output_names.data(), output_names.size(), got.data()));
  std::vector<Owned<OrtValue>> outputs;
  outputs.reserve(got.size());
  for (OrtValue* value : got) outputs.emplace_back(value, Release{api_});
  std::vector<StoredValue> results;
  results.reserve(got.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.push_back(result_of(outputs[i].get(), limits.contents));
    results.back().name = slice.output_names[i];
  }
  return results;
}

/// Where the library may be, in order.
std::vector<std::string> candidates() {
  if (const char* named = std::getenv("ONNX_SHAPES_ONNXRUNTIME"); named != nullptr) {
    return {named};
  }
  std::vector<std::string> paths;
  const std::string found = ONNX_SHAPES_ONNXRUNTIME_LIBRARY;
  if (!found.empty()) paths.push_back(found);
  paths.emplace_back("libonnxruntime.so.1");
  paths.emplace_back("libonnxruntime.so");
  return paths;
}

}  // namespace

/// The library stays loaded: it has threads and data of its own.
Expected<std::unique_ptr<Runner>> load_onnxruntime() {
  void* library = nullptr;
  std::string why;
  for (const std::string& path : candidates()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (why.empty()) why = dlerror();
  }
  if (library == nullptr) {
    return Failure{onnxruntime_missing(
        fmt::format("the library of ONNX Runtime cannot be loaded: {}", printable(why)))};
  }
  using GetApiBase = const OrtApiBase*(ORT_API_CALL*)();
  const auto base = reinterpret_cast<GetApiBase>(dlsym(library, "OrtGetApiBase"));
  if (base == nullptr) {
    return Failure{onnxruntime_missing("the library that was loaded is not that of ONNX Runtime")};
  }
  const OrtApi* const api = base()->GetApi(kApiVersion);
  if (api == nullptr) {
    return Failure{
        onnxruntime_missing(fmt::format("ONNX Runtime {} is too old: --execute needs 1.{} or newer",
                                        printable(base()->GetVersionString()), kApiVersion))};
  }
  try {
    return std::unique_ptr<Runner>(std::make_unique<OnnxRuntime>(api));
  } catch (const Complaint& complaint) {
    return Failure{
        onnxruntime_missing(fmt::format("ONNX Runtime does not start: {}", complaint.text))};
  }
}

}  // namespace onnx_shapes
