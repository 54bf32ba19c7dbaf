// Where the options of `check` come from: command line, config file, or neither.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/check_command.h"
#include "gate/config.h"

namespace onnx_shapes {

/// What holds for one model.
struct Settings {
  std::string model;
  CheckArguments arguments;
  const Config* config = nullptr;  // null: none
  std::vector<AppliedEntry> applied;
};

/// The config files of models, each read once.
class ConfigFiles {
 public:
  /// The options of the command line, and for those that it leaves out what the model's config file
  /// says. The failure is a complaint about the file.
  [[nodiscard]] Result<Settings, std::string> settings_of(const std::string& model,
                                                          const CheckArguments& arguments);

 private:
  std::map<std::string, Config> read_;
};

/// One line an option: its value and what has set it.
[[nodiscard]] std::string show(const Settings& settings);

}  // namespace onnx_shapes
