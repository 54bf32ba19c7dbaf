// A scan by tables: which fields of onnx.proto a plain message may have, and in which form.
#include "wire/plain_node.h"

#include <array>
#include <bit>

#include "wire/field_reader.h"

namespace onnx_shapes {
namespace {

enum class Form : uint8_t {
  kOther,  // makes its message not plain
  kText,   // a string or bytes
  kTexts,
  kNumber,  // a varint
  kNumbers,
  kFloat,
  kFloats,
  kDoubles,
  kType,  // AttributeProto.type
  kAttribute,
  kTensor,
  kEntry,  // StringStringEntryProto
};
using Forms = std::array<Form, 32>;  // by field number

constexpr Forms kNode = [] {
  Forms forms{};
  forms[1] = forms[2] = Form::kTexts;                                  // input, output
  forms[3] = forms[4] = forms[6] = forms[7] = forms[8] = Form::kText;  // name, op_type, doc_string,
                                                                       // domain, overload
  forms[5] = Form::kAttribute;
  forms[9] = Form::kEntry;  // metadata_props
  return forms;
}();

constexpr Forms kAttribute = [] {
  Forms forms{};
  forms[1] = forms[4] = forms[13] = forms[21] = Form::kText;  // name, s, doc_string, ref_attr_name
  forms[2] = Form::kFloat;                                    // f
  forms[3] = Form::kNumber;                                   // i
  forms[5] = Form::kTensor;                                   // t
  forms[7] = Form::kFloats;
  forms[8] = Form::kNumbers;  // ints
  forms[9] = Form::kTexts;    // strings
  forms[20] = Form::kType;
  return forms;
}();

/// The fields of an attribute that hold what it stands for, ref_attr_name among them.
constexpr uint32_t kValueFields =
    1U << 2U | 1U << 3U | 1U << 4U | 1U << 5U | 1U << 7U | 1U << 8U | 1U << 9U | 1U << 21U;

constexpr Forms kTensor = [] {
  Forms forms{};
  forms[1] = Form::kNumbers;             // dims
  forms[2] = Form::kNumber;              // data_type
  forms[4] = Form::kFloats;              // float_data
  forms[5] = forms[7] = Form::kNumbers;  // int32_data, int64_data
  forms[6] = Form::kTexts;               // string_data
  forms[8] = forms[12] = Form::kText;    // name, doc_string
  forms[9] = Form::kText;                // raw_data
  forms[10] = Form::kDoubles;            // double_data
  forms[11] = Form::kNumbers;            // uint64_data
  return forms;
}();

constexpr Forms kEntry = [] {
  Forms forms{};
  forms[1] = forms[2] = Form::kText;  // key, value
  return forms;
}();

/// FLOAT, INT, STRING, TENSOR, FLOATS, INTS, STRINGS: the values of AttributeProto.type whose
/// fields are plain.
bool is_plain_type(uint64_t type) { return type <= 8 && type != 0 && type != 5; }

bool are_varints(std::span<const uint8_t> content) {
  PackedReader reader(content);
  for (uint64_t value = 0; reader.next(value);) {
  }
  return reader.ended();
}

class Scan {
 public:
  explicit Scan(uint64_t keep_payload_below) : keep_payload_below_(keep_payload_below) {}

  [[nodiscard]] bool message(std::span<const uint8_t> content, const Forms& forms) {
    FieldReader reader(content);
    FieldView field;
    uint32_t seen = 0;
    while (reader.next(field)) {
      if (field.number >= forms.size()) return false;
      const Form form = forms[field.number];
      const uint32_t bit = uint32_t{1} << field.number;
      if ((seen & bit) != 0 && is_single(form)) return false;
      seen |= bit;
      if (!fits(field, form)) return false;
      if (&forms == &kTensor && field.type == WireType::kLength &&
          field.content.size() >= keep_payload_below_) {
        return false;
      }
    }
    if (&forms == &kAttribute && std::popcount(seen & kValueFields) > 1) return false;
    return reader.ended();
  }
  [[nodiscard]] const PlainNode& found() const { return found_; }

 private:
  static bool is_single(Form form) {
    return form == Form::kText || form == Form::kNumber || form == Form::kFloat ||
           form == Form::kType || form == Form::kTensor;
  }

  bool fits(const FieldView& field, Form form) {
    const bool sized = field.type == WireType::kLength;
    switch (form) {
      case Form::kOther:
        return false;
      case Form::kText:
      case Form::kTexts:
        ++found_.strings;
        return sized;
      case Form::kNumber:
        return field.type == WireType::kVarint;
      case Form::kNumbers:
        return field.type == WireType::kVarint || (sized && are_varints(field.content));
      case Form::kFloat:
        return field.type == WireType::kFixed32;
      case Form::kFloats:
        return field.type == WireType::kFixed32 || (sized && field.content.size() % 4 == 0);
      case Form::kDoubles:
        return field.type == WireType::kFixed64 || (sized && field.content.size() % 8 == 0);
      case Form::kType:
        return field.type == WireType::kVarint && is_plain_type(field.value);
      case Form::kAttribute:
        return sized && inner(field.content, kAttribute);
      case Form::kTensor:
        return sized && inner(field.content, kTensor);
      case Form::kEntry:
        return sized && inner(field.content, kEntry);
    }
    return false;
  }

  bool inner(std::span<const uint8_t> content, const Forms& forms) {
    ++found_.messages;
    return message(content, forms);
  }

  uint64_t keep_payload_below_;
  PlainNode found_;
};

}  // namespace

std::optional<PlainNode> scan_plain_node(std::span<const uint8_t> content,
                                         uint64_t keep_payload_below) {
  Scan scan(keep_payload_below);
  if (!scan.message(content, kNode)) return std::nullopt;
  return scan.found();
}

}  // namespace onnx_shapes
