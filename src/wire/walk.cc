// One pass over the wire format (protobuf.dev, "Encoding") with a stack of open messages.
#include "wire/walk.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "wire/frame.h"
#include "wire/onnx_fields.h"
#include "wire/plain_node.h"
#include "wire/sniff.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

/// Bytes of a length prefix in the skeleton, which is known only when its message ends. Protobuf
/// reads overlong prefixes up to this size.
constexpr uint32_t kPrefixSize = 5;
/// The largest message that protobuf parses.
constexpr uint64_t kMaxSkeleton = INT32_MAX;
/// What a parsed message or string takes at least, on top of its bytes: a file of empty messages,
/// two bytes each, must not take a hundred times its size.
constexpr uint64_t kMessageCost = 64;
constexpr uint64_t kStringCost = 32;
/// Pages are released once so many bytes lie behind.
constexpr uint64_t kReleaseEvery = uint64_t{4} << 20U;
/// Room for plain nodes from the start, as long as it is not more than this: a string that grows
/// touches twice the memory.
constexpr uint64_t kMaxReserved = uint64_t{8} << 20U;

class Walker {
 public:
  Walker(std::span<const uint8_t> bytes, const std::string& name, const MappedFile* file,
         const WalkLimits& limits)
      : bytes_(bytes), name_(name), file_(file), limits_(limits) {
    limits_.max_skeleton = std::min(limits_.max_skeleton, kMaxSkeleton);
  }

  Expected<WireIndex> run();

 private:
  [[nodiscard]] bool step();
  [[nodiscard]] bool read_field(Field& field);
  [[nodiscard]] bool read_number(uint64_t& value, uint32_t max_size, uint64_t start);
  [[nodiscard]] bool read_long_number(uint64_t& value, uint32_t max_size, uint64_t start);
  [[nodiscard]] bool skip(uint64_t count, uint64_t start);
  [[nodiscard]] bool skip_group(const Field& group);
  [[nodiscard]] bool enter(const MessageField& type, const Field& field);
  [[nodiscard]] bool begin_container();
  [[nodiscard]] bool payload(const Field& field);
  [[nodiscard]] bool main_node(const Field& field);
  /// Whether the innermost message is the model's graph itself.
  [[nodiscard]] bool in_main_graph() const {
    return frames_.size() == 2 && frames_.back().kind == MessageKind::kGraph;
  }
  [[nodiscard]] bool leave();
  [[nodiscard]] bool note_annotation(const Field& field);
  uint32_t record(size_t depth);

  [[nodiscard]] bool charge(uint64_t size);
  [[nodiscard]] bool copy_until(uint64_t offset);
  void release();
  [[nodiscard]] bool append_marker(uint32_t number, uint64_t index);

  bool fail(Code code, uint64_t offset, std::string message, std::string help = {});
  bool fail_past_end(uint64_t start, uint64_t wanted);
  [[nodiscard]] std::string path() const;

  std::span<const uint8_t> bytes_;
  const std::string& name_;
  const MappedFile* file_;
  WalkLimits limits_;
  WireIndex index_;
  std::vector<Frame> frames_;
  uint64_t at_ = 0;      // the next byte to read
  uint64_t copied_ = 0;  // bytes before it are in the skeleton or left out of it
  uint64_t released_ = 0;
  uint64_t charged_ = 0;
  bool has_graph_ = false;
  std::optional<Finding> failure_;
};

Expected<WireIndex> Walker::run() {
  if (bytes_.empty()) {
    fail(Code::kNotAModel, 0, "the file is empty");
    return Failure{*std::move(failure_)};
  }
  index_.plain_nodes.reserve(std::min(bytes_.size(), kMaxReserved));
  Frame& model = frames_.emplace_back();
  model.kind = MessageKind::kModel;
  model.field.whole = model.field.content = {0, bytes_.size()};
  record(0);
  while (!frames_.empty()) {
    const bool ended = at_ == frames_.back().field.content.end();
    if (!(ended ? leave() : step())) break;
  }
  if (!failure_ && !has_graph_) fail(Code::kNotAModel, 0, "it holds no graph");
  if (released_ > 0) release();  // of a small file every page will be wanted again
  if (!failure_) return std::move(index_);
  // A file of another kind fails at a byte that means nothing; say what it is instead.
  if (const std::optional<Lookalike> lookalike = has_graph_ ? std::nullopt : sniff(bytes_)) {
    failure_.reset();
    fail(Code::kNotAModel, 0, "this is no ONNX model but " + std::string(lookalike->what),
         std::string(lookalike->help));
    failure_->place.offset.reset();
  }
  return Failure{*std::move(failure_)};
}

/// Reads one field of the innermost message.
bool Walker::step() {
  Field field;
  if (!read_field(field)) return false;
  const Frame& frame = frames_.back();
  const MessageKind kind = frame.kind;
  const bool marker =
      field.number == WireIndex::kPayloadMarker || field.number == WireIndex::kContainerMarker;
  if (may_hold_payloads(kind) && (marker || field.type == WireType::kGroup)) {
    if (!copy_until(field.whole.offset)) return false;
    copied_ = field.whole.end();
    return true;
  }
  if (kind == MessageKind::kTensor && is_payload_field(field.number)) return payload(field);
  if (field.type != WireType::kLength) return true;
  const MessageField& type = message_field(kind, field.number);
  if (type.kind == MessageKind::kNone) return charge(kStringCost);
  if (type.kind == MessageKind::kNode && in_main_graph()) return main_node(field);
  return enter(type, field);
}

/// A node of the main graph: a plain one is not walked.
bool Walker::main_node(const Field& field) {
  const std::optional<PlainNode> plain = scan_plain_node(
      bytes_.subspan(field.content.offset, field.content.size), limits_.keep_payload_below);
  if (!plain) {
    index_.main_nodes.push_back({.in_skeleton = true});
    return charge(sizeof(NodeBytes)) &&
           enter(message_field(MessageKind::kGraph, field.number), field);
  }
  if (!copy_until(field.whole.offset)) return false;
  copied_ = field.whole.end();
  if (!charge(plain->messages * kMessageCost + plain->strings * kStringCost + sizeof(NodeBytes) +
              field.content.size)) {
    return false;
  }
  index_.main_nodes.push_back({.begin = static_cast<uint32_t>(index_.plain_nodes.size()),
                               .size = static_cast<uint32_t>(field.content.size)});
  index_.plain_nodes.append(reinterpret_cast<const char*>(bytes_.data()) + field.content.offset,
                            field.content.size);
  return true;
}

/// Reads a number of at most `max_size` bytes; `start` is where its field begins. Nearly all have
/// one byte.
inline bool Walker::read_number(uint64_t& value, uint32_t max_size, uint64_t start) {
  if (at_ >= frames_.back().field.content.end() || bytes_[at_] >= 0x80) {
    return read_long_number(value, max_size, start);
  }
  value = bytes_[at_++];
  return true;
}

bool Walker::read_long_number(uint64_t& value, uint32_t max_size, uint64_t start) {
  const uint64_t end = frames_.back().field.content.end();
  if (at_ == end) return fail_past_end(start, 1);
  const uint8_t* const begin = bytes_.data() + at_;
  const uint8_t* next = begin;
  const uint8_t* const limit = begin + std::min<uint64_t>(max_size, end - at_);
  if (!read_varint(next, limit, value)) {
    if (static_cast<uint64_t>(limit - begin) < max_size) return fail_past_end(start, 1);
    return fail(Code::kNotAModel, start, "a number is longer than protobuf allows");
  }
  at_ += static_cast<uint64_t>(next - begin);
  return true;
}

/// Reads the header of the field at `at_` and moves past the field.
bool Walker::read_field(Field& field) {
  const uint64_t start = at_;
  uint64_t tag = 0;
  if (!read_number(tag, kMaxTagSize, start)) return false;
  const auto type = static_cast<uint8_t>(tag & 7U);
  field.number = static_cast<uint32_t>(tag >> 3U);
  field.type = static_cast<WireType>(type);
  if (tag > UINT32_MAX || field.number == 0 || type > 5) {
    return fail(Code::kNotAModel, start, "this is no field of a protobuf message");
  }
  uint64_t number = 0;
  switch (field.type) {
    case WireType::kVarint:
      if (!read_number(number, kMaxVarintSize, start)) return false;
      break;
    case WireType::kFixed64:
      if (!skip(8, start)) return false;
      break;
    case WireType::kFixed32:
      if (!skip(4, start)) return false;
      break;
    case WireType::kLength: {
      const uint64_t length_at = at_;
      if (!read_number(number, kMaxVarintSize, start)) return false;
      field.length_size = static_cast<uint32_t>(at_ - length_at);
      field.content = {at_, number};
      if (!skip(number, start)) return false;
      break;
    }
    case WireType::kGroup:
      if (!skip_group(field)) return false;
      break;
    case WireType::kEndGroup:
      return fail(Code::kNotAModel, start, "a protobuf group ends that has not begun");
  }
  field.whole = {start, at_ - start};
  return true;
}

bool Walker::skip(uint64_t count, uint64_t start) {
  const uint64_t left = frames_.back().field.content.end() - at_;
  if (count > left) return fail_past_end(start, count - left);
  at_ += count;
  return true;
}

/// Groups are no part of ONNX. What is in one is not looked at, but where it ends must be found.
bool Walker::skip_group(const Field& group) {
  const uint64_t start = at_;
  std::vector<uint32_t> open{group.number};
  while (!open.empty()) {
    uint64_t tag = 0;
    const uint64_t field_start = at_;
    if (!read_number(tag, kMaxTagSize, field_start)) return false;
    const uint64_t number = tag >> 3U;
    uint64_t value = 0;
    switch (static_cast<WireType>(tag & 7U)) {
      case WireType::kVarint:
        if (!read_number(value, kMaxVarintSize, field_start)) return false;
        break;
      case WireType::kFixed64:
        if (!skip(8, field_start)) return false;
        break;
      case WireType::kFixed32:
        if (!skip(4, field_start)) return false;
        break;
      case WireType::kLength:
        if (!read_number(value, kMaxVarintSize, field_start) || !skip(value, field_start)) {
          return false;
        }
        break;
      case WireType::kGroup:
        if (frames_.size() + open.size() >= limits_.max_depth()) {
          return fail(Code::kLimitNesting, field_start, "protobuf groups are nested too deep");
        }
        open.push_back(static_cast<uint32_t>(number));
        break;
      case WireType::kEndGroup:
        if (number != open.back()) {
          return fail(Code::kNotAModel, field_start, "a protobuf group ends that has not begun");
        }
        open.pop_back();
        break;
      default:
        return fail(Code::kNotAModel, field_start, "this is no field of a protobuf message");
    }
    if (tag > UINT32_MAX || number == 0) {
      return fail(Code::kNotAModel, start, "this is no field of a protobuf message");
    }
  }
  return true;
}

bool Walker::enter(const MessageField& type, const Field& field) {
  Frame& parent = frames_.back();
  if (!type.repeated) {
    const uint32_t bit = uint32_t{1} << type.number;
    if ((parent.seen & bit) != 0) {
      return fail(Code::kNotAModel, field.whole.offset,
                  "the field " + std::string(type.name) + " is given twice in one message",
                  "protobuf would merge the two; load the model with the onnx package and save it "
                  "again");
    }
    parent.seen |= bit;
  }
  if (frames_.size() >= limits_.max_depth()) {
    return fail(Code::kLimitNesting, field.whole.offset, "messages are nested too deep");
  }
  Frame frame;
  frame.type = &type;
  frame.kind = type.kind;
  frame.graphs = parent.graphs;
  frame.length_size = field.length_size;
  frame.field = {field.number, field.whole, field.content};
  const bool nested = type.kind == MessageKind::kGraph && parent.kind == MessageKind::kAttribute;
  if (nested && ++frame.graphs > limits_.max_nesting) {
    return fail(Code::kLimitNesting, field.whole.offset,
                "graphs are nested more than " + std::to_string(limits_.max_nesting) + " deep");
  }
  if (!note_annotation(field) || !charge(kMessageCost)) return false;
  frames_.push_back(frame);
  at_ = field.content.offset;
  if (!may_hold_payloads(type.kind)) return true;

  if (!copy_until(field.whole.offset)) return false;
  copied_ = field.whole.offset;
  if (!copy_until(field.content.offset - field.length_size)) return false;
  frames_.back().prefix_at = index_.skeleton.size();
  index_.skeleton.append(kPrefixSize, '\0');
  copied_ = field.content.offset;
  return charge(kPrefixSize) && begin_container();
}

/// Indexes the message just begun if it is a graph or function.
bool Walker::begin_container() {
  const MessageKind kind = frames_.back().kind;
  if (kind != MessageKind::kGraph && kind != MessageKind::kFunction) return true;
  if (in_main_graph()) has_graph_ = true;
  ContainerSpan container;
  container.kind = kind == MessageKind::kGraph ? ContainerKind::kGraph : ContainerKind::kFunction;
  container.message = record(frames_.size() - 1);
  const auto index = static_cast<uint32_t>(index_.containers.size());
  frames_.back().container = index;
  index_.containers.push_back(std::move(container));
  return charge(sizeof(ContainerSpan) + sizeof(MessageSpan)) &&
         append_marker(WireIndex::kContainerMarker, index);
}

/// The index of the message of that frame, which gets one now if it has none, and so do those
/// around it.
uint32_t Walker::record(size_t depth) {
  size_t first = depth;
  while (first > 0 && frames_[first - 1].message == kNoParent) --first;
  for (size_t i = first; i <= depth; ++i) {
    Frame& frame = frames_[i];
    frame.message = static_cast<uint32_t>(index_.messages.size());
    index_.messages.push_back({.field = frame.field,
                               .parent = i == 0 ? kNoParent : frames_[i - 1].message,
                               .length_size = frame.length_size});
  }
  return frames_[depth].message;
}

/// Indexes a field of a graph or function if it is an annotation.
bool Walker::note_annotation(const Field& field) {
  const Frame& frame = frames_.back();
  if (frame.container == kNoParent) return true;
  ContainerSpan& container = index_.containers[frame.container];
  std::vector<FieldSpan>* list = nullptr;
  if (container.kind == ContainerKind::kFunction) {
    if (field.number == 12) list = &container.value_infos;
  } else if (field.number == 11) {
    list = &container.inputs;
  } else if (field.number == 12) {
    list = &container.outputs;
  } else if (field.number == 13) {
    list = &container.value_infos;
  }
  if (list == nullptr) return true;
  list->push_back({field.number, field.whole, field.content});
  return charge(sizeof(FieldSpan));
}

/// A field of a tensor that holds elements. The first large one is left out of the skeleton, until
/// another one follows.
bool Walker::payload(const Field& field) {
  Frame& tensor = frames_.back();
  const bool packed =
      field.type == WireType::kLength && field.number != kStringData && field.number != kRawData;
  if (packed && field.content.size == 0) return true;  // adds no elements
  if (field.number == kStringData && !charge(kStringCost)) return false;
  ++tensor.payload_pieces;
  if (tensor.left_out) {
    const Span& whole = tensor.left_out->whole;
    if (!charge(whole.size)) return false;
    index_.skeleton.insert(tensor.left_out_at,
                           reinterpret_cast<const char*>(bytes_.data() + whole.offset), whole.size);
    tensor.left_out.reset();
  } else if (tensor.payload_pieces == 1 && field.type == WireType::kLength &&
             field.content.size >= limits_.keep_payload_below) {
    if (!copy_until(field.whole.offset)) return false;
    tensor.left_out = FieldSpan{field.number, field.whole, field.content};
    tensor.left_out_at = index_.skeleton.size();
    copied_ = field.whole.end();
  }
  return true;
}

/// Ends the innermost message.
bool Walker::leave() {
  const Frame& frame = frames_.back();
  if (may_hold_payloads(frame.kind)) {
    if (!copy_until(at_)) return false;
    if (frame.left_out) {
      if (!append_marker(WireIndex::kPayloadMarker, index_.payloads.size())) return false;
      index_.payloads.push_back({frame.left_out->number, frame.left_out->content});
      if (!charge(sizeof(Payload))) return false;
    }
    if (frames_.size() > 1) {
      const size_t size = index_.skeleton.size() - frame.prefix_at - kPrefixSize;
      write_varint(index_.skeleton.data() + frame.prefix_at, size, kPrefixSize);
    }
  }
  frames_.pop_back();
  return true;
}

bool Walker::charge(uint64_t size) {
  charged_ += size;
  if (charged_ <= limits_.max_skeleton) return true;
  return fail(Code::kLimitSize, copied_,
              "the model without its weights takes more than " +
                  std::to_string(limits_.max_skeleton) + " bytes");
}

/// Brings the skeleton up to that offset of the file.
bool Walker::copy_until(uint64_t offset) {
  if (offset > copied_) {
    const uint64_t size = offset - copied_;
    if (!charge(size)) return false;
    index_.skeleton.append(reinterpret_cast<const char*>(bytes_.data() + copied_), size);
    copied_ = offset;
  }
  if (copied_ - released_ >= kReleaseEvery) release();
  return true;
}

/// Lets go of the pages behind.
void Walker::release() {
  if (file_ != nullptr) file_->release(released_, copied_ - released_);
  released_ = copied_;
}

bool Walker::append_marker(uint32_t number, uint64_t index) {
  append_tag(index_.skeleton, number, WireType::kVarint);
  append_varint(index_.skeleton, index);
  return charge(2 * uint64_t{kMaxTagSize});
}

bool Walker::fail(Code code, uint64_t offset, std::string message, std::string help) {
  Place place;
  place.file = name_;
  place.offset = offset;
  const std::string where = path();
  if (!where.empty()) message += " (in " + where + ")";
  failure_ = make_finding(code, std::move(place), std::move(message), std::move(help));
  return false;
}

/// A field of the innermost message that wants more bytes than are left.
bool Walker::fail_past_end(uint64_t start, uint64_t wanted) {
  if (frames_.size() > 1) {
    return fail(Code::kNotAModel, start, "a field runs past the end of the message around it");
  }
  return fail(Code::kTruncated, start,
              "the file ends inside the field that begins here; at least " +
                  std::to_string(wanted) + (wanted == 1 ? " byte is" : " bytes are") + " missing",
              "the copy or download is incomplete: get the file again");
}

/// The names of the open messages' fields: `graph.node.attribute`. Middle ones of many are left
/// out.
std::string Walker::path() const {
  constexpr size_t kEnds = 4;
  std::string text;
  for (size_t i = 1; i < frames_.size(); ++i) {
    if (!text.empty()) text += '.';
    if (i == kEnds + 1 && frames_.size() > 2 * kEnds + 2) {
      text += "..";
      i = frames_.size() - kEnds - 1;
      continue;
    }
    text += frames_[i].type->name;
  }
  return text;
}

}  // namespace

Expected<WireIndex> walk(std::span<const uint8_t> bytes, const std::string& file,
                         const WalkLimits& limits) {
  return Walker(bytes, file, nullptr, limits).run();
}

Expected<WireIndex> walk(const MappedFile& file, const WalkLimits& limits) {
  return Walker(file.bytes(), file.path(), &file, limits).run();
}

}  // namespace onnx_shapes
