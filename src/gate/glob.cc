#include "gate/glob.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace onnx_shapes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnyFolders = "**";

/// One part of a pattern that stands for one letter.
struct Letter {
  size_t length = 1;  // in the pattern
  bool matches = false;
};

/// Reads `[...]` at the start of the pattern; the length is 0 if nothing closes it.
Letter match_set(std::string_view pattern, char letter) {
  size_t at = 1;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  // A `]` that comes first is one of the set.
  for (bool first = true; at < pattern.size() && (first || pattern[at] != ']'); first = false) {
    const char low = pattern[at];
    char high = low;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
      high = pattern[at + 2];
      at += 2;
    }
    found = found || (low <= letter && letter <= high);
    ++at;
  }
  if (at >= pattern.size()) return {.length = 0, .matches = false};
  return {.length = at + 1, .matches = found != negated};
}

Letter match_letter(std::string_view pattern, char letter) {
  if (pattern.front() == '?') return {.length = 1, .matches = true};
  if (pattern.front() == '[') {
    const Letter set = match_set(pattern, letter);
    if (set.length > 0) return set;
  }
  return {.length = 1, .matches = pattern.front() == letter};
}

/// One part of a path. After a mismatch only the last star is tried anew, which is enough: an
/// earlier one that took more would only leave less to the last.
bool part_matches(std::string_view pattern, std::string_view text) {
  if (text.starts_with('.') && !pattern.starts_with('.')) return false;
  size_t star = std::string_view::npos;  // where the pattern goes on after the last star
  size_t taken = 0;                      // the end of what that star stands for
  size_t p = 0;
  for (size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      taken = t;
      continue;
    }
    const Letter letter = p < pattern.size() ? match_letter(pattern.substr(p), text[t]) : Letter();
    if (letter.matches) {
      p += letter.length;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

bool is_hidden(std::string_view name) { return name.starts_with('.'); }

bool is_folder(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.is_directory(ignored);
}

/// The names in a folder, sorted; none if it cannot be read.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator next(folder.empty() ? "." : folder,
                              fs::directory_options::skip_permission_denied, error);
  for (; !error && next != fs::directory_iterator(); next.increment(error)) {
    entries.push_back(*next);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// Follows a pattern part by part through the file system.
class Expansion {
 public:
  explicit Expansion(std::string_view pattern)
      : parts_(parts_of(pattern)), absolute_(pattern.starts_with('/')) {}

  std::vector<std::string> files() {
    follow(absolute_ ? "/" : "", 0);
    return {found_.begin(), found_.end()};
  }

 private:
  void follow(const fs::path& folder, size_t part);

  std::vector<std::string_view> parts_;
  bool absolute_;
  std::set<std::string> found_;
};

void Expansion::follow(const fs::path& folder, size_t part) {
  const bool last = part + 1 == parts_.size();
  if (part >= parts_.size()) return;
  if (!is_glob(parts_[part])) {
    const fs::path path = folder / parts_[part];
    std::error_code ignored;
    if (!last) {
      follow(path, part + 1);
    } else if (fs::exists(path, ignored) && !fs::is_directory(path, ignored)) {
      found_.insert(path.string());
    }
    return;
  }
  const bool any_folders = parts_[part] == kAnyFolders;
  if (any_folders) follow(folder, part + 1);
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string name = entry.path().filename().string();
    const fs::path path = folder / name;
    if (any_folders) {
      std::error_code ignored;
      // A link may lead back up.
      const bool below = is_folder(entry) && !is_hidden(name) && !entry.is_symlink(ignored);
      if (below) follow(path, part);
      if (last && !is_folder(entry) && !is_hidden(name)) found_.insert(path.string());
    } else if (part_matches(parts_[part], name)) {
      if (!last) {
        if (is_folder(entry)) follow(path, part + 1);
      } else if (!is_folder(entry)) {
        found_.insert(path.string());
      }
    }
  }
}

}  // namespace

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool glob_matches(std::string_view pattern, std::string_view path) {
  if (pattern.starts_with('/') != path.starts_with('/')) return false;
  const std::vector<std::string_view> wanted = parts_of(pattern);
  const std::vector<std::string_view> given = parts_of(path);
  // reached[j]: the parts of the pattern so far match the first j parts of the path.
  std::vector<bool> reached(given.size() + 1);
  reached[0] = true;
  for (const std::string_view part : wanted) {
    std::vector<bool> next(given.size() + 1);
    if (part == kAnyFolders) {
      next[0] = reached[0];
      for (size_t j = 1; j <= given.size(); ++j) {
        next[j] = reached[j] || (next[j - 1] && !is_hidden(given[j - 1]));
      }
    } else {
      for (size_t j = 1; j <= given.size(); ++j) {
        next[j] = reached[j - 1] && part_matches(part, given[j - 1]);
      }
    }
    reached = std::move(next);
  }
  return reached[given.size()];
}

Result<std::vector<std::string>, std::string> expand_models(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> models;
  std::set<std::string> known;
  for (const std::string& argument : arguments) {
    std::vector<std::string> named = {argument};
    std::error_code ignored;
    if (fs::is_directory(argument, ignored)) {
      std::string pattern = fs::path(argument).lexically_normal().string();
      while (pattern.size() > 1 && pattern.ends_with('/')) pattern.pop_back();
      // Its own name is no pattern.
      named.clear();
      std::vector<fs::path> folders = {pattern == "." ? fs::path() : fs::path(pattern)};
      while (!folders.empty()) {
        const fs::path folder = std::move(folders.back());
        folders.pop_back();
        for (const fs::directory_entry& entry : entries_of(folder)) {
          const std::string name = entry.path().filename().string();
          if (is_hidden(name)) continue;
          if (is_folder(entry)) {
            if (!entry.is_symlink(ignored)) folders.push_back(folder / name);
          } else if (name.ends_with(".onnx")) {
            named.push_back((folder / name).string());
          }
        }
      }
      std::sort(named.begin(), named.end());
      if (named.empty()) {
        return Failure{fmt::format("there is no file *.onnx in the folder '{}'", argument)};
      }
    } else if (is_glob(argument) && !fs::exists(argument, ignored)) {
      named = Expansion(argument).files();
      if (named.empty()) return Failure{fmt::format("no file matches '{}'", argument)};
    }
    for (std::string& model : named) {
      if (known.insert(fs::path(model).lexically_normal().string()).second) {
        models.push_back(std::move(model));
      }
    }
  }
  return models;
}

}  // namespace onnx_shapes
