#include "gate/baseline.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "diag/printable.h"
#include "gate/selection.h"
#include "wire/file.h"
#include "wire/output.h"

namespace onnx_shapes {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMaxBytes = 64U << 20U;

/// The path as a person would write it, without symbolic links resolved.
fs::path absolute(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::absolute(path, error);
  return (error ? fs::path(path) : result).lexically_normal();
}

/// Reads the members of one entry; the complaint if one is wrong.
class EntryReader {
 public:
  explicit EntryReader(const Json& entry) : entry_(entry) {}

  std::optional<std::string> read();

  std::string model;
  FindingKey key{};
  Baseline::Known known{.count = 1, .message = {}};

 private:
  /// False, with a complaint, if the member is no text, or missing where it must be there.
  bool text(const char* member, bool needed, std::string& target);
  bool number(const char* member, int64_t least, int64_t& target);

  const Json& entry_;
  std::string complaint_;
};

bool EntryReader::text(const char* member, bool needed, std::string& target) {
  const auto found = entry_.find(member);
  if (found == entry_.end() && !needed) return true;
  if (found == entry_.end() || !found->is_string()) {
    complaint_ = fmt::format("needs '{}', a text", member);
    return false;
  }
  target = found->get<std::string>();
  return true;
}

bool EntryReader::number(const char* member, int64_t least, int64_t& target) {
  const auto found = entry_.find(member);
  const bool whole = found != entry_.end() && found->is_number_integer();
  const bool fits = whole && (!found->is_number_unsigned() || found->get<uint64_t>() <= INT64_MAX);
  if (!fits || found->get<int64_t>() < least) {
    complaint_ = fmt::format("'{}' is no whole number of at least {}", member, least);
    return false;
  }
  target = found->get<int64_t>();
  return true;
}

std::optional<std::string> EntryReader::read() {
  if (!entry_.is_object()) return "is no object";
  std::string code;
  if (!text("model", true, model) || !text("code", true, code) ||
      !text("value", false, key.value) || !text("message", false, known.message)) {
    return complaint_;
  }
  if (model.empty()) return "has an empty 'model'";
  const std::optional<Code> found = find_code(code);
  if (!found || code != code_id(*found)) {
    return fmt::format("has the code '{}', which this version does not know", printable(code));
  }
  key.code = *found;
  int64_t value = 0;
  if (entry_.contains("axis")) {
    if (!number("axis", 0, value)) return complaint_;
    key.axis = value;
  }
  if (entry_.contains("count")) {
    if (!number("count", 1, value)) return complaint_;
    known.count = static_cast<size_t>(value);
  }
  for (const auto& member : entry_.items()) {
    static constexpr std::string_view kMembers[] = {"model", "code",  "value",
                                                    "axis",  "count", "message"};
    if (std::ranges::find(kMembers, member.key()) == std::end(kMembers)) {
      return fmt::format("has a member '{}', which this version does not know",
                         printable(member.key()));
    }
  }
  return std::nullopt;
}

std::string text_of(const FindingKey& key) {
  std::string text = fmt::format("{} {}", code_id(key.code), code_name(key.code));
  if (!key.value.empty()) text += fmt::format(" of '{}'", key.value);
  if (key.axis) text += fmt::format(" axis {}", *key.axis);
  return text;
}

bool checked_to_its_end(const onnx_shapes::Findings& findings) {
  return std::none_of(findings.all().begin(), findings.all().end(),
                      [](const Finding& finding) { return is_unchecked(finding.code); });
}

}  // namespace

Finding stale_entry(const std::string& baseline, const std::string& model, const FindingKey& key,
                    size_t left) {
  Place place;
  place.file = model;
  place.value = key.value;
  place.axis = key.axis;
  return make_finding(Code::kBaselineStale, std::move(place),
                      fmt::format("{} lists {}{}, which is no longer found", baseline, text_of(key),
                                  left > 1 ? fmt::format(" {} times", left) : ""),
                      "write the baseline anew with --write-baseline");
}

Result<Baseline, std::string> Baseline::parse(std::string_view text, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    return Failure{fmt::format("the baseline {} {}", printable(path), what)};
  };
  if (text.size() > kMaxBytes) return refuse("is too large");
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return refuse(fmt::format("is no JSON, from byte {} on", error.byte));
  } catch (const Json::out_of_range&) {
    return refuse("has a number that is too large");
  }
  const bool ours = document.is_object() && document.contains("version") &&
                    document["version"].is_number_integer() && document.contains("findings") &&
                    document["findings"].is_array();
  if (!ours) return refuse("is no baseline: it needs 'version' and 'findings'");
  if (document["version"] != kBaselineVersion) {
    return refuse(fmt::format("has the version {}; this tool reads {}", document["version"].dump(),
                              kBaselineVersion));
  }
  Baseline baseline(path);
  size_t number = 0;
  for (const Json& entry : document["findings"]) {
    EntryReader reader(entry);
    if (const auto complaint = reader.read()) {
      return refuse(fmt::format("is damaged: its finding number {} {}", number, *complaint));
    }
    // A person may have written ./a.onnx.
    const std::string model = fs::path(reader.model).lexically_normal().generic_string();
    Known& known = baseline.models_[model][reader.key];
    // The sum of damaged counts must not wrap, and be a count itself.
    known.count += std::min(reader.known.count, size_t{INT64_MAX} - known.count);
    if (known.message.empty()) known.message = reader.known.message;
    ++number;
  }
  return baseline;
}

Result<Baseline, std::string> Baseline::read(const std::string& path) {
  const Expected<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return Failure{fmt::format("the baseline cannot be read: {}: {}; --write-baseline makes one",
                               printable(path), file.reason().message)};
  }
  const std::span<const uint8_t> bytes = file->bytes();
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

size_t Baseline::size() const {
  size_t size = 0;
  for (const auto& [model, findings] : models_) {
    for (const auto& [key, known] : findings) size += known.count;
  }
  return size;
}

std::string Baseline::relative(const std::string& model) const {
  if (model == "-") return model;
  const fs::path folder = absolute(path_).parent_path();
  // Printable, so that the file can hold it.
  return printable(absolute(model).lexically_relative(folder).generic_string());
}

onnx_shapes::Findings Baseline::unknown(const std::string& model,
                                        const onnx_shapes::Findings& findings) const {
  const auto found = models_.find(relative(model));
  if (found == models_.end()) return findings;
  std::map<FindingKey, size_t> left;
  for (const auto& [key, known] : found->second) left[key] = known.count;
  onnx_shapes::Findings result = findings.filtered(
      [&](const Finding& finding) {
        if (is_unchecked(finding.code)) return true;
        const auto entry = left.find(key_of(finding));
        if (entry == left.end() || entry->second == 0) return true;
        --entry->second;
        return false;
      },
      [](Code) { return true; });
  if (!checked_to_its_end(findings)) return result;
  for (const auto& [key, count] : left) {
    if (count > 0) result.add(stale_entry(printable(path_), model, key, count));
  }
  return result;
}

void Baseline::set(const std::string& model, const onnx_shapes::Findings& findings) {
  if (!checked_to_its_end(findings)) return;
  Findings known;
  for (const Finding& finding : findings.all()) {
    if (finding.code == Code::kBaselineStale) continue;
    Known& entry = known[key_of(finding)];
    ++entry.count;
    if (entry.message.empty()) entry.message = finding.message;
  }
  if (known.empty()) {
    models_.erase(relative(model));
  } else {
    models_[relative(model)] = std::move(known);
  }
}

std::vector<std::string> Baseline::gone() const {
  std::vector<std::string> models;
  const fs::path folder = absolute(path_).parent_path();
  for (const auto& [model, findings] : models_) {
    std::error_code error;
    // An escape may stand for a byte that is no UTF-8: then the path is not the file's.
    const bool a_path = model != "-" && model.find("\\x") == std::string::npos;
    if (a_path && !fs::exists(folder / model, error) && !error) models.push_back(model);
  }
  return models;
}

std::string Baseline::to_json() const {
  Json list = Json::array();
  for (const auto& [model, findings] : models_) {
    for (const auto& [key, known] : findings) {
      Json entry = {{"model", model}, {"code", code_id(key.code)}};
      if (!key.value.empty()) entry["value"] = key.value;
      if (key.axis) entry["axis"] = *key.axis;
      if (known.count > 1) entry["count"] = known.count;
      if (!known.message.empty()) entry["message"] = known.message;
      list.push_back(std::move(entry));
    }
  }
  const Json document = {{"version", kBaselineVersion}, {"findings", std::move(list)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Expected<void> Baseline::write() const {
  OutputFile file;
  if (Expected<void> opened = file.open({.path = path_}); !opened) return opened;
  const std::string text = to_json();
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file.descriptor(), text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return Failure{file.unwritable(errno)};
    if (written > 0) done += static_cast<size_t>(written);
  }
  return file.commit();
}

}  // namespace onnx_shapes
