#include "sim/trace/text_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace phalanx::sim {

TextFile::TextFile(const std::string& path) : file_(gzopen(path.c_str(), "rb")) {
  if (file_ == nullptr) error_ = std::strerror(errno);
}

TextFile::~TextFile() {
  if (file_ != nullptr) gzclose(file_);
}

bool TextFile::Fill() {
  if (file_ == nullptr || !error_.empty()) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  char block[1 << 16];
  const int got = gzread(file_, block, sizeof(block));
  int code = Z_OK;
  const char* text = gzerror(file_, &code);
  // A file that was cut short ends with Z_BUF_ERROR after all that could be read.
  if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END)) error_ = text;
  if (got <= 0) return false;
  buffer_.append(block, static_cast<size_t>(got));
  return true;
}

bool TextFile::Next(std::string& line) {
  size_t end = buffer_.find('\n', at_);
  while (end == std::string::npos && Fill()) end = buffer_.find('\n', at_);
  if (!error_.empty() || at_ == buffer_.size()) return false;
  if (end == std::string::npos) end = buffer_.size();
  line.assign(buffer_, at_, end - at_);
  if (line.ends_with('\r')) line.pop_back();
  at_ = end < buffer_.size() ? end + 1 : end;
  ++line_;
  return true;
}

}  // namespace phalanx::sim
