#pragma once

namespace indexfuzz {

/// How many GPUs a campaign that is started here finds; 0 where there is no driver.
int cuda_devices();

}  // namespace indexfuzz
