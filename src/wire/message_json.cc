#include "wire/message_json.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "wire/decode.h"
#include "wire/text.h"

namespace phalanx::wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json ToJson(const Message& message, bool outermost);

// The value of a field that is no list; of a list the one at `index`.
Json ValueOf(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& get = *message.GetReflection();
  const bool list = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return list ? get.GetRepeatedInt32(message, field, index) : get.GetInt32(message, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return list ? get.GetRepeatedInt64(message, field, index) : get.GetInt64(message, field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return list ? get.GetRepeatedUInt64(message, field, index) : get.GetUInt64(message, field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return list ? get.GetRepeatedBool(message, field, index) : get.GetBool(message, field);
    case FieldDescriptor::CPPTYPE_STRING:
      return list ? get.GetRepeatedString(message, field, index) : get.GetString(message, field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToJson(
          list ? get.GetRepeatedMessage(message, field, index) : get.GetMessage(message, field),
          false);
    default:
      // No message of this API has one; MessageJsonTest looks at all of them.
      return "no JSON form for " + std::string(field->cpp_type_name());
  }
}

Json ListOf(const Message& message, const FieldDescriptor* field) {
  Json out = field->is_map() ? Json::object() : Json::array();
  const int size = message.GetReflection()->FieldSize(message, field);
  if (!field->is_map()) {
    for (int i = 0; i < size; ++i) out.push_back(ValueOf(message, field, i));
    return out;
  }
  std::map<std::string, Json> sorted;
  for (int i = 0; i < size; ++i) {
    const Message& entry = message.GetReflection()->GetRepeatedMessage(message, field, i);
    sorted[entry.GetReflection()->GetString(entry, entry.GetDescriptor()->map_key())] =
        ValueOf(entry, entry.GetDescriptor()->map_value(), 0);
  }
  for (auto& [key, value] : sorted) out[key] = std::move(value);
  return out;
}

Json ToJson(const Message& message, bool outermost) {
  Json out = Json::object();
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->is_repeated()) {
      const bool empty = message.GetReflection()->FieldSize(message, field) == 0;
      if (!empty || outermost) out[field->json_name()] = ListOf(message, field);
      continue;
    }
    const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const bool may_be_absent = field->has_presence() || text;
    if (may_be_absent && !message.GetReflection()->HasField(message, field)) continue;
    out[field->json_name()] = ValueOf(message, field, 0);
  }
  return out;
}

std::string NamesOf(const Descriptor& type) {
  std::string out;
  for (int i = 0; i < type.field_count(); ++i) {
    if (i > 0) out += ", ";
    out += type.field(i)->json_name();
  }
  return out;
}

const FieldDescriptor* FieldNamed(const Descriptor& type, const std::string& name) {
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->json_name() == name) return type.field(i);
  }
  return nullptr;
}

// "%2F" and "+" as in a query; nullopt if a "%" is not followed by two digits of base 16.
std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    int value = 0;
    for (size_t digit = i + 1; digit <= i + 2; ++digit) {
      const char c = digit < text.size() ? text[digit] : ' ';
      const size_t at = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      if (at == std::string_view::npos || c == ' ') return std::nullopt;
      value = value * 16 + static_cast<int>(at);
    }
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

absl::Status SetField(Message& message, const FieldDescriptor* field, const std::string& value) {
  const Reflection& set = *message.GetReflection();
  const std::string& name = field->json_name();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    if (field->is_repeated()) {
      set.AddString(&message, field, value);
    } else {
      set.SetString(&message, field, value);
    }
    return absl::OkStatus();
  }
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    if (value != "true" && value != "false") return ToStatus({name, Clip(value), "true or false"});
    set.SetBool(&message, field, value == "true");
    return absl::OkStatus();
  }
  const std::optional<int64_t> number = ParseInt(value);
  const int64_t most = std::numeric_limits<int32_t>::max();
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_INT32 || !number || *number < 0 ||
      *number > most) {
    return ToStatus({name, Clip(value), fmt::format("a whole number from 0 to {}", most)});
  }
  set.SetInt32(&message, field, static_cast<int32_t>(*number));
  return absl::OkStatus();
}

}  // namespace

std::string MessageToJson(const Message& message) { return Dump(ToJson(message, true)); }

std::string ErrorToJson(int code, const std::string& message) {
  return Dump({{"error", {{"code", code}, {"message", message}}}});
}

absl::Status ReadField(const std::string& name, const std::string& value, Message& message) {
  const Descriptor& type = *message.GetDescriptor();
  const FieldDescriptor* field = FieldNamed(type, name);
  if (field == nullptr) return ToStatus({"query", Clip(name), "one of " + NamesOf(type)});
  if (!field->is_repeated() && message.GetReflection()->HasField(message, field)) {
    return ToStatus({name, Clip(value), "to be given once"});
  }
  return SetField(message, field, value);
}

absl::Status ReadQuery(std::string_view query, Message& message) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::optional<std::string> name = Unescape(pair.substr(0, equals));
    const std::optional<std::string> value =
        Unescape(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value) {
      return ToStatus({"query", Clip(pair), "a % with two digits of base 16 behind it"});
    }
    absl::Status status = ReadField(*name, *value, message);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace phalanx::wire
