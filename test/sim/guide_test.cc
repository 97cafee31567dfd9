// Every command of the guide to `phalanx-sim place` is typed, in order, and prints what the guide
// shows: each line that is shown, "..." in a line for any text and alone for any lines.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace phalanx::sim {
namespace {

constexpr char kGuide[] = "docs/guides/placing.md";
constexpr char kTyped[] = "build/bin/phalanx-sim";

struct Block {
  std::string mark;  // of its fence: "sh test=place fails"
  std::string text;
};

std::vector<Block> BlocksOf(const std::string& path) {
  std::vector<Block> blocks;
  std::ifstream in(path);
  bool open = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      open = !open;
      if (open) blocks.push_back({line.substr(3), ""});
    } else if (open) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

std::string Escaped(const std::string& text) {
  static const std::regex kSpecial(R"([.^$|()\[\]{}*+?\\])");
  return std::regex_replace(text, kSpecial, R"(\$&)");
}

std::regex PatternOf(const std::string& shown) {
  std::string pattern;
  size_t from = 0;
  for (size_t at; (at = shown.find("...", from)) != std::string::npos; from = at + 3) {
    pattern += Escaped(shown.substr(from, at - from)) + ".*";
  }
  return std::regex(pattern + Escaped(shown.substr(from)));
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

// The first line that is shown and was not printed where it should; empty if there is none.
std::string Missing(const std::string& shown, const std::string& printed) {
  const std::vector<std::string> lines = LinesOf(printed);
  size_t at = 0;
  bool skip = false;
  for (const std::string& line : LinesOf(shown)) {
    if (line == "...") {
      skip = true;
      continue;
    }
    const std::regex pattern = PatternOf(line);
    while (skip && at < lines.size() && !std::regex_match(lines[at], pattern)) ++at;
    if (at == lines.size() || !std::regex_match(lines[at], pattern)) return line;
    ++at;
    skip = false;
  }
  return skip || at == lines.size() ? "" : "the end of the output";
}

// What a shell prints, and whether it succeeds.
std::pair<std::string, bool> Type(std::string script) {
  for (size_t at = 0; (at = script.find(kTyped, at)) != std::string::npos;) {
    script.replace(at, sizeof(kTyped) - 1, PHALANX_SIM_PROGRAM);
    at += sizeof(PHALANX_SIM_PROGRAM) - 1;
  }
  FILE* pipe = popen(("set -e; exec 2>&1; " + script).c_str(), "r");
  std::string printed;
  char buffer[4096];
  for (size_t n; pipe != nullptr && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    printed.append(buffer, n);
  }
  const int status = pipe == nullptr ? -1 : pclose(pipe);
  return {printed, WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

TEST(PlacingGuide, EveryCommandPrintsWhatTheGuideShows) {
  const std::vector<Block> blocks = BlocksOf(kGuide);
  int typed = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].mark == "text shows") continue;
    ASSERT_TRUE(blocks[i].mark.starts_with("sh test=place")) << blocks[i].mark;
    ASSERT_TRUE(i + 1 < blocks.size() && blocks[i + 1].mark == "text shows") << blocks[i].text;
    const auto [printed, succeeded] = Type(blocks[i].text);
    EXPECT_EQ(succeeded, blocks[i].mark == "sh test=place") << blocks[i].text << printed;
    EXPECT_EQ(Missing(blocks[i + 1].text, printed), "") << blocks[i].text << printed;
    ++typed;
  }
  EXPECT_GE(typed, 6);
}

TEST(PlacingGuide, TheTestSeesWhatIsNotPrinted) {
  EXPECT_EQ(Missing("a\n...\nd 1 ... x\n", "a\nb\nc\nd 1 2 3 x\n"), "");
  EXPECT_EQ(Missing("a\nc\n", "a\nb\nc\n"), "c");
  EXPECT_EQ(Missing("a\n", "a\nb\n"), "the end of the output");
  EXPECT_EQ(Missing("a.b\n", "axb\n"), "a.b");
}

}  // namespace
}  // namespace phalanx::sim
