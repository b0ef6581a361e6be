// The functions of the WebAssembly module, which web/page/worker.js calls.

#include <cstdlib>

#include "web/module/requests.h"

extern "C" {

/// Answers a request, which is JSON in UTF-8. The answer lives until the next call.
const char* copse_page_answer(const char* request) {
  static copse::web::Requests requests;
  static std::string answer;
  const nlohmann::json parsed = nlohmann::json::parse(request, nullptr, false);
  answer = requests.answer(parsed).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return answer.c_str();
}
}
