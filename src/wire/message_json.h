// Any message as JSON, and any request from the query of a URL, by reflection: a field that one of
// gRPC and HTTP has, the other has too.
//
// Field names are camelCase, 64-bit numbers are numbers (protobuf's own printer makes them text,
// and every reader would have to turn them back). Numbers and booleans are always there, unless
// they are `optional` and not set; empty text, lists, maps and messages that are not set are left
// out, except lists and maps of the outermost message. Text that is not UTF-8 is replaced, never
// thrown over.
//
// Threads: pure functions.
#ifndef PHALANX_WIRE_MESSAGE_JSON_H_
#define PHALANX_WIRE_MESSAGE_JSON_H_

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace phalanx::wire {

// One line, without its end.
std::string MessageToJson(const google::protobuf::Message& message);
// {"error": {"code": 404, "message": "..."}}
std::string ErrorToJson(int code, const std::string& message);

// Sets fields of `message` from "pageSize=10&phases=queued&phases=starting". Names are those of the
// JSON; a list takes one value each time it is named. INVALID_ARGUMENT with name, value and what
// was expected.
absl::Status ReadQuery(std::string_view query, google::protobuf::Message& message);
// Sets one field, by its name in the JSON. Refuses one that is set already.
absl::Status ReadField(const std::string& name, const std::string& value,
                       google::protobuf::Message& message);

}  // namespace phalanx::wire

#endif  // PHALANX_WIRE_MESSAGE_JSON_H_
