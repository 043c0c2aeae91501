#pragma once

#include "campaign/listener.h"

namespace indexfuzz {

/// Hears everything and says nothing.
class QuietListener : public CampaignListener {
 public:
  void update(const CampaignStatus&) override {}
  void saved(const Finding&) override {}
  void met_again(const Finding&) override {}
  void checked(const Finding&, const std::string&) override {}
  void ended(const CampaignStatus&) override {}
  void note(const std::string&) override {}
};

}  // namespace indexfuzz
