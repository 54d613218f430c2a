#include "auth/ssh_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "auth/sealing.h"

namespace ty::auth {
namespace {

TEST(SshKey, IsTheSameAgainForTheSameJobAndAnotherForAnother) {
  const Secret key = make_sealing_key();
  const SshKeyPair first = derive_ssh_key(key, "job-a");
  EXPECT_EQ(first.private_key.reveal(), derive_ssh_key(key, "job-a").private_key.reveal());
  EXPECT_NE(first.public_key, derive_ssh_key(key, "job-b").public_key);
  EXPECT_NE(first.public_key, derive_ssh_key(make_sealing_key(), "job-a").public_key);
}

TEST(SshKey, HasTheFormOfOpenSshsFiles) {
  const SshKeyPair pair = derive_ssh_key(make_sealing_key(), "job-a");
  EXPECT_TRUE(pair.public_key.starts_with("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI"));
  EXPECT_TRUE(pair.public_key.ends_with(" job-a\n"));
  const std::string& file = pair.private_key.reveal();
  EXPECT_TRUE(file.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE"));
  EXPECT_TRUE(file.ends_with("\n-----END OPENSSH PRIVATE KEY-----\n"));
}

}  // namespace
}  // namespace ty::auth
