#include "store/aws_settings.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"

namespace qanat {
namespace {

using Variables = std::map<std::string, std::string>;

AwsSettings settings_with(const Variables& variables) {
  return read_aws_settings([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

class AwsSettingsTest : public ::testing::Test {
 protected:
  AwsSettingsTest() {
    make_folders(folder_.path() / ".aws");
    write_text_file(folder_.path() / ".aws" / "credentials",
                    "[default]\naws_access_key_id = id\n aws_secret_access_key=a=b\r\n\n"
                    "# a comment\n[work]\naws_access_key_id=work-id\naws_secret_access_key=work\n"
                    "aws_session_token=session\n");
    write_text_file(folder_.path() / ".aws" / "config",
                    "[default]\nregion = eu-north-1\n[profile work]\nregion=ap-south-1\n"
                    "endpoint_url=http://localhost:9000/\n");
  }

  std::string home() const { return folder_.path().string(); }

  const TemporaryFolder folder_;
};

TEST_F(AwsSettingsTest, HasNoCredentialsWhereThereAreNone) {
  const AwsSettings settings = settings_with({{"HOME", "/nowhere"}});

  EXPECT_FALSE(settings.credentials);
  EXPECT_EQ(settings.region, "us-east-1");
  EXPECT_EQ(settings.endpoint, "");
}

TEST_F(AwsSettingsTest, ReadsTheDefaultProfile) {
  const AwsSettings settings = settings_with({{"HOME", home()}});

  EXPECT_EQ(settings.credentials, (AwsCredentials{.key_id = "id", .secret = "a=b"}));
  EXPECT_EQ(settings.region, "eu-north-1");
}

TEST_F(AwsSettingsTest, ReadsTheProfileThatIsNamed) {
  const AwsSettings settings = settings_with({{"HOME", home()}, {"AWS_PROFILE", "work"}});

  EXPECT_EQ(settings.credentials,
            (AwsCredentials{.key_id = "work-id", .secret = "work", .session_token = "session"}));
  EXPECT_EQ(settings.region, "ap-south-1");
  EXPECT_EQ(settings.endpoint, "http://localhost:9000");
}

TEST_F(AwsSettingsTest, PrefersTheEnvironment) {
  const AwsSettings settings = settings_with({{"HOME", home()},
                                              {"AWS_ACCESS_KEY_ID", "env"},
                                              {"AWS_SECRET_ACCESS_KEY", "secret"},
                                              {"AWS_REGION", "sa-east-1"},
                                              {"AWS_ENDPOINT_URL", "http://one"},
                                              {"AWS_ENDPOINT_URL_S3", "http://two"}});

  EXPECT_EQ(settings.credentials, (AwsCredentials{.key_id = "env", .secret = "secret"}));
  EXPECT_EQ(settings.region, "sa-east-1");
  EXPECT_EQ(settings.endpoint, "http://two");
}

}  // namespace
}  // namespace qanat
