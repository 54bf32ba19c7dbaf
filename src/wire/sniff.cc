// Magic numbers and first words of the files that people hand over by mistake.
#include "wire/sniff.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace onnx_shapes {
namespace {

using namespace std::string_view_literals;

struct Magic {
  size_t offset;
  std::string_view bytes;
  Lookalike kind;
};

constexpr std::string_view kUnpack = "unpack it first";
constexpr std::string_view kExport = "export the model to ONNX first";

constexpr Magic kMagics[] = {
    {0, "\x1f\x8b"sv, {"a gzip archive", kUnpack}},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     {"an xz archive", kUnpack}},
    {0, "\x28\xb5\x2f\xfd"sv, {"a zstd archive", kUnpack}},
    {0, "BZh"sv, {"a bzip2 archive", kUnpack}},
    {0, "7z\xbc\xaf\x27\x1c"sv, {"a 7z archive", kUnpack}},
    {0,
     "PK\x03\x04"sv,
     {"a zip archive (.zip, .npz, or a PyTorch .pt)",
      "unpack it, or export the PyTorch model with torch.onnx.export"}},
    {257, "ustar"sv, {"a tar archive", kUnpack}},
    {4,
     "ORTM"sv,
     {"a model in ONNX Runtime's own format (.ort)", "use the ONNX file it was made of"}},
    {4, "TFL3"sv, {"a TensorFlow Lite model", kExport}},
    {0, "\x89HDF\r\n"sv, {"an HDF5 file (Keras?)", kExport}},
    {0, "GGUF"sv, {"a GGUF file", kExport}},
    {8, "{\""sv, {"a safetensors file", kExport}},
    {0, "\x93NUMPY"sv, {"a NumPy array", {}}},
    {0, "\x80\x02"sv, {"a Python pickle (an old PyTorch .pt?)", kExport}},
    {0, "\x80\x04"sv, {"a Python pickle", kExport}},
    {0, "\x80\x05"sv, {"a Python pickle", kExport}},
    {0,
     "\x7f"
     "ELF"sv,
     {"a program or library", {}}},
    {0, "\x89PNG"sv, {"a picture", {}}},
    {0, "\xff\xd8\xff"sv, {"a picture", {}}},
    {0, "%PDF"sv, {"a PDF document", {}}},
};

/// The start of the file is enough, and the file may be huge.
constexpr size_t kPrefix = 1024;

bool is_text(std::string_view prefix) {
  return std::none_of(prefix.begin(), prefix.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || byte == 0x7f;
  });
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Lookalike text_kind(std::string_view text) {
  if (text.starts_with("version https://git-lfs.github.com/spec/")) {
    return {"a Git LFS pointer", "fetch the file it stands for with `git lfs pull`"};
  }
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  if (text.starts_with("<!") || contains(text, "<html") || contains(text, "<HTML")) {
    return {"a web page", "the download went wrong: fetch the model itself"};
  }
  if (text.starts_with("{") || text.starts_with("[")) {
    return {"JSON", "convert it: google.protobuf.json_format.Parse(text, onnx.ModelProto())"};
  }
  if (contains(text, "ir_version:") && (contains(text, "graph {") || !text.starts_with("<"))) {
    return {"protobuf text",
            "convert it: google.protobuf.text_format.Parse(text, onnx.ModelProto())"};
  }
  if (text.starts_with("<") || contains(text, "=>")) {
    return {"ONNX text", "convert it: onnx.save(onnx.parser.parse_model(text), \"model.onnx\")"};
  }
  return {"text", "an ONNX model is a binary file"};
}

}  // namespace

std::optional<Lookalike> sniff(std::span<const uint8_t> bytes) {
  const std::string_view prefix{reinterpret_cast<const char*>(bytes.data()),
                                std::min(bytes.size(), kPrefix)};
  for (const Magic& magic : kMagics) {
    if (prefix.size() > magic.offset && prefix.substr(magic.offset).starts_with(magic.bytes)) {
      return magic.kind;
    }
  }
  const bool zeros = std::all_of(prefix.begin(), prefix.end(), [](char c) { return c == '\0'; });
  if (zeros) return Lookalike{"a run of zero bytes", "the copy or download went wrong"};
  if (is_text(prefix)) return text_kind(prefix);
  return std::nullopt;
}

}  // namespace onnx_shapes
