// Copies ranges of the source and puts the changes between them.
#include "wire/splice.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "wire/descriptor.h"
#include "wire/output.h"
#include "wire/splice_plan.h"

namespace onnx_shapes {
namespace {

/// What is collected before it is written.
constexpr size_t kBuffer = size_t{1} << 20U;
/// Ranges from this size on are copied by the system, smaller ones through the buffer.
constexpr uint64_t kRange = uint64_t{256} << 10U;
/// How much is copied before signals are looked at.
constexpr uint64_t kStep = uint64_t{32} << 20U;

class Splicer {
 public:
  Splicer(const MappedFile& source, OutputFile& output) : source_(source), output_(output) {
    buffer_.reserve(kBuffer);
  }

  Expected<void> run(const SplicePlan& plan);

 private:
  [[nodiscard]] bool copy(Span range);
  [[nodiscard]] bool copy_by_system(Span& range);
  [[nodiscard]] bool copy_by_reading(Span range);
  [[nodiscard]] bool append(std::string_view text);
  [[nodiscard]] bool flush();
  [[nodiscard]] bool go_on();
  [[nodiscard]] bool fail(int error);

  const MappedFile& source_;
  OutputFile& output_;
  std::string buffer_;
  uint64_t released_ = 0;
  bool system_copies_ = true;
  std::optional<Finding> failure_;
};

Finding source_changed(const MappedFile& source) {
  Place place;
  place.file = source.path();
  return make_finding(Code::kFileUnreadable, std::move(place), "it changed while it was read",
                      "nothing was written; try again when nobody writes to it");
}

Expected<void> Splicer::run(const SplicePlan& plan) {
  uint64_t at = 0;
  bool good = true;
  for (const Replacement& replacement : plan.replacements) {
    good = good && copy({at, replacement.replaced.offset - at}) && append(replacement.text);
    at = replacement.replaced.end();
  }
  good = good && copy({at, source_.bytes().size() - at}) && flush();
  if (!good) return Failure{*std::move(failure_)};
  if (!source_.unchanged()) return Failure{source_changed(source_)};
  return output_.commit();
}

bool Splicer::copy(Span range) {
  if (range.size >= kRange && source_.descriptor() >= 0) {
    return flush() && copy_by_system(range) && (range.size == 0 || copy_by_reading(range));
  }
  while (range.size > 0) {
    const uint64_t size = std::min<uint64_t>(range.size, kBuffer);
    const char* from = reinterpret_cast<const char*>(source_.bytes().data()) + range.offset;
    if (!append({from, static_cast<size_t>(size)})) return false;
    range = {range.offset + size, range.size - size};
    if (range.offset - released_ >= kBuffer) {
      source_.release(released_, range.offset - released_);
      released_ = range.offset;
    }
  }
  return true;
}

/// Lets the system copy, and shortens the range by what it has copied; what is left it cannot copy.
bool Splicer::copy_by_system(Span& range) {
  while (system_copies_ && range.size > 0) {
    auto from = static_cast<off_t>(range.offset);
    const auto size = static_cast<size_t>(std::min(range.size, kStep));
    const ssize_t count =
        ::copy_file_range(source_.descriptor(), &from, output_.descriptor(), nullptr, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)) {
      return fail(errno);
    }
    if (count <= 0) {
      system_copies_ = false;
      break;
    }
    const auto copied = static_cast<uint64_t>(count);
    range = {range.offset + copied, range.size - copied};
    if (!go_on()) return false;
  }
  return true;
}

bool Splicer::copy_by_reading(Span range) {
  buffer_.resize(kBuffer);
  bool good = true;
  while (good && range.size > 0) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(range.size, kBuffer));
    const ssize_t count =
        ::pread(source_.descriptor(), buffer_.data(), size, static_cast<off_t>(range.offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      failure_ = source_changed(source_);
      good = false;
    } else if (!write_all(output_.descriptor(), buffer_.data(), static_cast<size_t>(count))) {
      good = fail(errno);
    } else {
      const auto copied = static_cast<uint64_t>(count);
      range = {range.offset + copied, range.size - copied};
      good = go_on();
    }
  }
  buffer_.clear();
  return good;
}

bool Splicer::append(std::string_view text) {
  if (buffer_.size() + text.size() > kBuffer && !flush()) return false;
  if (text.size() <= kBuffer) {
    buffer_ += text;
    return true;
  }
  return write_all(output_.descriptor(), text.data(), text.size()) || fail(errno);
}

bool Splicer::flush() {
  const bool good = write_all(output_.descriptor(), buffer_.data(), buffer_.size());
  buffer_.clear();
  return good ? go_on() : fail(errno);
}

bool Splicer::go_on() { return !output_.interrupted() || fail(EINTR); }

bool Splicer::fail(int error) {
  failure_ = output_.unwritable(error);
  return false;
}

}  // namespace

Expected<void> splice(const MappedFile& source, const WireIndex& index,
                      const std::vector<Edit>& edits, const WriteOptions& options) {
  const std::optional<SplicePlan> plan = plan_splice(index, edits);
  if (!plan) {
    Place place;
    place.file = source.path();
    return Failure{
        make_finding(Code::kInternalError, std::move(place), "two changes of the file overlap")};
  }
  if (plan->replacements.empty() && options.in_place &&
      leads_to(options.path, source.descriptor())) {
    return {};
  }
  OutputFile output;
  Expected<void> opened = output.open(
      {.path = options.path, .source = source.descriptor(), .replace_source = options.in_place});
  if (!opened) return opened;
  return Splicer(source, output).run(*plan);
}

}  // namespace onnx_shapes
