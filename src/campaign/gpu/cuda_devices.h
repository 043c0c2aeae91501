#pragma once

namespace indexfuzz {

/// How many GPUs a campaign that is started here would find; 0 without a driver.
int cuda_devices();

}  // namespace indexfuzz
