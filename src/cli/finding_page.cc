#include "cli/finding_page.h"

#include "cli/finding_pages.h"

namespace onnx_shapes {

std::string_view finding_page(Code code) {
  const std::string id = code_id(code);
  for (const auto& [page_id, page] : kFindingPages) {
    if (page_id == id) return page;
  }
  return {};
}

}  // namespace onnx_shapes
