// Folders of cases that somebody else has filled.

#include "campaign/store/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

#include "../cli/command.h"
#include "campaign/store/bounded_read.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Why = Unread;

constexpr const char* kCase =
    "indexfuzz case 1\nindex_select functional\nself float32 (2)\nindex int64 (1) fill=first\n";

class HostileFolder : public testing::Test {
 protected:
  HostileFolder() { fs::create_directory(folder()); }
  std::string folder() const { return scratch_ / "f"; }
  std::string in(const std::string& name) const { return folder() + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(in(name), std::ios::binary) << text;
  }
  /// Reads the folder, in which one good case must be found, and expects one thing set aside.
  void expect_aside(Why why, const std::string& words) {
    write("good.case", kCase);
    const Corpus corpus = read_corpus({folder()});
    EXPECT_THAT(corpus.files, SizeIs(1));
    EXPECT_THAT(corpus.unreadable, IsEmpty());
    ASSERT_THAT(corpus.aside, SizeIs(1));
    EXPECT_EQ(corpus.aside[0].why, why) << corpus.aside[0].text;
    EXPECT_EQ(in_words(corpus.aside), "1 set aside: 1 " + words);
  }

  const Scratch scratch_;
};

TEST_F(HostileFolder, LinksAreNotFollowed) {
  std::ofstream(scratch_ / "outside.case") << kCase;
  fs::create_symlink(scratch_ / "outside.case", in("x.case"));
  expect_aside(Why::kLink, "link");
}

TEST_F(HostileFolder, LinksToFoldersAreNotFollowed) {
  fs::create_directory(scratch_ / "outside");
  std::ofstream(scratch_ / "outside/y.case") << kCase;
  fs::create_symlink(scratch_ / "outside", in("x"));
  expect_aside(Why::kLink, "link");
}

TEST_F(HostileFolder, LoopsOfLinksEnd) {
  fs::create_symlink(".", in("x"));
  expect_aside(Why::kLink, "link");
}

TEST_F(HostileFolder, FifosDoNotHang) {
  ASSERT_EQ(mkfifo(in("x.case").c_str(), 0600), 0);
  expect_aside(Why::kFifo, "FIFO");
}

TEST_F(HostileFolder, Sockets) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  in("x.case").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  expect_aside(Why::kSocket, "socket");
  close(fd);
}

TEST_F(HostileFolder, Devices) {
  if (mknod(in("x.case").c_str(), S_IFCHR | 0600, 0x105 /* zero */) != 0)
    GTEST_SKIP() << "only root makes devices";
  expect_aside(Why::kDevice, "device");
}

TEST_F(HostileFolder, FoldersNamedLikeCases) {
  fs::create_directory(in("x.case"));
  expect_aside(Why::kFolder, "folder named like a case");
}

TEST_F(HostileFolder, HugeSparseFiles) {
  write("x.case", kCase);
  fs::resize_file(in("x.case"), std::uintmax_t{1} << 40);
  expect_aside(Why::kLarge, "larger than 1 MiB");
}

TEST_F(HostileFolder, FilesThatMayNotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read all";
  write("x.case", kCase);
  fs::permissions(in("x.case"), fs::perms::none);
  expect_aside(Why::kUnreadable, "unreadable");
}

TEST_F(HostileFolder, DamagedFiles) {
  write("x.case", std::string("\x7f"
                              "ELF\0\1\2",
                              7));
  expect_aside(Why::kDamaged, "no legal case");
  const Corpus corpus = read_corpus({folder()});
  EXPECT_THAT(corpus.aside[0].text, HasSubstr("line 1"));
}

TEST_F(HostileFolder, NestingEnds) {
  std::string path = folder();
  for (int i = 0; i < 200; ++i) fs::create_directory(path += "/d");
  expect_aside(Why::kDeep, "folder nested too deep");
}

TEST_F(HostileFolder, StrangeNamesAreReadAndPrintedHarmlessly) {
  const std::vector<std::string> names{"-rf.case",      "a\nb.case",   "c\xff.case",
                                       "\x1b[31m.case", "sp ace.case", "\xc3\xa4.case"};
  for (const std::string& name : names) write(name, kCase);
  EXPECT_THAT(read_corpus({folder()}).files, SizeIs(names.size()));
  for (const std::string& name : names) write(name, "damage");
  const Corpus corpus = read_corpus({folder()});
  EXPECT_THAT(corpus.aside, SizeIs(names.size()));
  for (const SetAside& aside : corpus.aside) {
    for (const char c : aside.file) EXPECT_FALSE(c >= 0 && c < ' ') << aside.file;
    EXPECT_NO_THROW(nlohmann::json(aside.file).dump()) << "is UTF-8";
  }
}

TEST_F(HostileFolder, OtherFilesAndUnfinishedOnesAreNobodysBusiness) {
  write("notes.txt", "x");
  write(".tmp-half.case", "indexfuzz ca");
  write("good.case", kCase);
  const Corpus corpus = read_corpus({folder()});
  EXPECT_THAT(corpus.files, SizeIs(1));
  EXPECT_THAT(corpus.aside, IsEmpty());
}

TEST_F(HostileFolder, FoldersAreReadInOrder) {
  fs::create_directory(in("b"));
  for (const char* name : {"c.case", "a.case", "b/z.case"}) write(name, kCase);
  std::vector<std::string> order;
  for (const CaseFile& file : read_corpus({folder()}).files)
    order.push_back(file.path.lexically_relative(folder()));
  EXPECT_THAT(order, ElementsAre("a.case", "b/z.case", "c.case"));
}

TEST_F(HostileFolder, AllOfItIsCounted) {
  for (int i = 0; i < 3; ++i) fs::create_symlink("nowhere", in("l" + std::to_string(i)));
  for (int i = 0; i < 2; ++i) write("d" + std::to_string(i) + ".case", "damage");
  EXPECT_EQ(in_words(read_corpus({folder()}).aside), "5 set aside: 3 links, 2 no legal cases");
}

TEST_F(HostileFolder, WhatIsNamedMustBeReadable) {
  write("good.case", kCase);
  write("bad.case", "damage");
  ASSERT_EQ(mkfifo(in("fifo").c_str(), 0600), 0);
  fs::create_directory(in("empty"));
  fs::create_symlink("good.case", in("link"));
  const Corpus corpus = read_corpus(
      {in("bad.case"), in("good.case"), in("fifo"), in("none.case"), in("empty"), in("link")});
  EXPECT_THAT(corpus.files, SizeIs(2)) << "a link that is named is followed";
  std::vector<std::string> errors;
  for (const auto& named : corpus.unreadable) errors.push_back(named.text);
  EXPECT_THAT(errors, ElementsAre(HasSubstr("line 1"), HasSubstr("FIFO"), HasSubstr("no such file"),
                                  HasSubstr("no file that ends in .case")));
}

}  // namespace
}  // namespace indexfuzz
