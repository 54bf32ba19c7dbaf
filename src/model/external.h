// External tensor data: files beside the model, and never anywhere else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"

namespace onnx {
class TensorProto;
}

namespace onnx_shapes {

/// Why external data cannot be used: the code and message of the finding to make.
struct ExternalFault {
  Code code;
  std::string message;
  std::string help;
};
template <class T>
using ExternalResult = Result<T, ExternalFault>;

/// What a tensor's external_data entries say.
struct ExternalReference {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
[[nodiscard]] ExternalResult<ExternalReference> external_reference(const onnx::TensorProto& tensor);

/// The folder of a model file; nothing for standard input and for bytes without a file.
[[nodiscard]] std::optional<std::string> folder_of(const std::string& model_path);

class ExternalFolder {
 public:
  explicit ExternalFolder(std::optional<std::string> folder) : folder_(std::move(folder)) {}

  /// Whether there is a folder to look into.
  [[nodiscard]] bool available() const { return folder_.has_value(); }
  /// The size of a file, by stat; each distinct location is looked at once. Nothing is opened.
  [[nodiscard]] ExternalResult<uint64_t> size_of(const std::string& location) const;
  /// That a range is inside its file.
  [[nodiscard]] ExternalResult<void> check_range(const std::string& location, uint64_t offset,
                                                 uint64_t length) const;
  /// Reads a range; checks it first.
  [[nodiscard]] ExternalResult<std::vector<uint8_t>> read(const std::string& location,
                                                          uint64_t offset, uint64_t length) const;

 private:
  struct Entry {
    std::string inner_path;  // below the real folder, without symbolic links
    uint64_t size = 0;
  };
  [[nodiscard]] const ExternalResult<Entry>& look_up(const std::string& location) const;
  [[nodiscard]] ExternalResult<Entry> find(const std::string& location) const;

  std::optional<std::string> folder_;
  mutable std::string real_folder_;  // found at the first look-up
  mutable std::map<std::string, ExternalResult<Entry>, std::less<>> entries_;
};

}  // namespace onnx_shapes
