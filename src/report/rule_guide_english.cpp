#include <array>

#include "report/rule_guide.h"

namespace qanat {
namespace {

constexpr auto kEnglishGuides = std::to_array<RuleGuide>({
    {"DL001",
     "",
     "The device is idle for want of batches, and the workers spend their time waiting for files, "
     "not computing: storage answers too slowly.",
     "More workers keep more requests under way (`--num-workers`). Better: `qanat precompute`, a "
     "local disk, or enough memory for the page cache."},
    {"DL002",
     "",
     "The workers are busy all the time and still too slow, while cores that the run may use do "
     "nothing.",
     "Raise `--num-workers` to what the finding says, or leave it away: then the number is tuned."},
    {"DL003",
     "",
     "Preparing data takes more than all cores that the run may use. More workers cannot help.",
     "Prepare once: `qanat precompute`. Or let a data GPU make the features, or give the run more "
     "cores."},
    {"DL004",
     "",
     "Workers stand in line for something that only one of them may use at a time.",
     "Take work off them: `qanat precompute`. More workers make the line longer."},
    {"DL005",
     "",
     "On average data is ready in time, but single batches take so much longer than others that "
     "the buffer runs empty.",
     "Raise `--buffer-size`; the finding says how far, from a replay of the recorded times."},
    {"DL006",
     "",
     "This program keeps more threads at work than it has cores; workers wait for a core instead "
     "of using one.",
     "Lower `--num-workers`. If the threads are not the loader's, `top -H -p PID` shows whose they "
     "are."},
    {"DL007",
     "",
     "Batches are padded to a common shape; the share of frames that is padding costs time and "
     "teaches nothing.",
     "More shapes: `--set pipeline.bucket_edges=16`. A single shape on purpose (for graphs) is a "
     "reason to leave it."},
    {"DL008",
     "",
     "Batches are copied only when the device has nothing left to do, or from memory that is not "
     "page-locked, so that copying and training do not overlap.",
     "`--set data.prefetch_to_gpu=true` and `--set data.enhanced_gpu_prefetch=true`; both are the "
     "default."},
    {"DL009",
     "",
     "A noticeable part of the cores makes the same features again in every epoch. Nothing waits "
     "for it yet; it is work that could be saved.",
     "`qanat precompute` once; training then reads the shards by itself."},
    {"DL010",
     "",
     "The waiting lies in the first steps of every epoch, not between.",
     "A larger `--buffer-size`, so that the next epoch begins before this one ends."},
    {"DL011",
     "",
     "A few rows take many times the median and hold their batches up. The journal lists the "
     "slowest.",
     "Store these files like the others (format, rate, disk), or leave them out."},
    {"DL012",
     "",
     "Rows whose file was missing or damaged were filled with another utterance of their length.",
     "`qanat data check DIR` names them with the reason."},
    {"DL013",
     "",
     "The workers are held up by something outside the run: other programs on the cores, a "
     "processor quota, or memory that does not hold its pages.",
     "Run elsewhere or when the machine is free; give the container more; a smaller "
     "`pipeline.feature_cache` takes less memory."},
    {"MG001",
     "",
     "There is no direct way between the two GPUs: batches go through the memory of the host.",
     "Nothing, if the copies are hidden behind work; otherwise choose GPUs that can (`nvidia-smi "
     "topo -p2p r`)."},
    {"MG002",
     "",
     "Copies between the GPUs reach a small part of what their link allows.",
     "`qanat validate` measures it. Look for a link in a lower generation (HW005), a shared "
     "switch, or virtualisation."},
    {"MG003",
     "",
     "Batches are ready, but arrive late at the model device: their way is not hidden by work.",
     "A deeper ring (`--prefetch-buffer-size`); `qanat validate` measures the link and says "
     "whether two devices pay."},
    {"MG004",
     "",
     "Reading, decoding and making features take longer per batch than training does: the model "
     "device waits.",
     "`qanat precompute`, more cores, or the stronger card for data."},
    {"MG005",
     "",
     "Neither side is the limit alone; they hold each other up, so that the run takes longer than "
     "the slower of the two.",
     "A deeper ring (`--prefetch-buffer-size`)."},
    {"MG006",
     "",
     "The same steps take less time in Single-GPU Buffered mode.",
     "Leave `--data-gpu` and `--model-gpu` away."},
    {"MG008",
     "",
     "The two GPUs hang on different processors: copies cross the link between these.",
     "Choose a pair on one socket (`nvidia-smi topo -m`); nothing, if the copies are hidden behind "
     "work."},
    {"CMP001",
     "",
     "A large part of a step costs the same however much is in it: launching, small tensors, the "
     "optimizer.",
     "A larger `--batch-size` shares it. The learning rate may have to follow."},
    {"CMP006",
     "",
     "Updating the weights takes a large part of a step, as it does with small batches of a large "
     "model.",
     "`--grad-accum 2` updates half as often. That changes training."},
    {"CMP007",
     "",
     "The device waits while checkpoints are copied, validations run or lines are written.",
     "Do it more rarely: `--save-every`, `--validate-every`, `--render-every`."},
    {"CMP008",
     "",
     "Batches did not fit the memory of the device and were done again in parts. The gradient is "
     "the same; the time is lost.",
     "A smaller `--batch-size` with `--grad-accum`, or shorter `--max-mel-frames`."},
    {"PER001",
     "",
     "Every so many steps one takes longer, by more than chance allows. If something of the run "
     "has that interval, it is named.",
     "Raise the interval that is named. Without a name: look at what else runs at that rhythm."},
    {"PER002",
     "",
     "Steps of equal work take longer as the run goes on.",
     "Does a second run start fast again? Then look for heat, growing memory, or another program "
     "that came."},
    {"PER003",
     "",
     "From one step on, steps of equal work take longer.",
     "Look into the journal around that step: what else happened then?"},
    {"VAR001",
     "",
     "A few steps took far longer than steps of their work do, without a rhythm.",
     "The phases of these steps in the journal show which part was long."},
    {"VAR002",
     "",
     "Steps of equal work vary all the time: the machine is shared, or its clocks change.",
     "Fewer other programs, a fixed clock. HOST005 says when it is the other programs."},
    {"HOST001",
     "",
     "The container may use fewer cores than the run has threads at work.",
     "`--num-workers` as the finding says, or a larger quota (`docker run --cpus`)."},
    {"HOST002",
     "",
     "The quota of the container was used up before its period ended, and everything stood still "
     "until the next.",
     "As for HOST001; the time lost is in the finding."},
    {"HOST003",
     "",
     "The kernel reports time in which nothing of the group could go on, for want of memory or of "
     "storage.",
     "Memory: `--set pipeline.feature_cache=0`, fewer other programs. Storage: `qanat precompute`, "
     "a faster disk."},
    {"HOST004",
     "",
     "More threads want to run than there are cores, and the trainer is among those who wait.",
     "Fewer workers: `--num-workers` as the finding says."},
    {"HOST005",
     "",
     "Other programs use a noticeable part of the cores, and threads of the trainer are ready but have none. "
     "Steps then vary, too: findings about variation are explained by this one.",
     "Stop them, or keep them off its cores (`taskset`)."},
    {"HOST006",
     "",
     "The GPU hangs on one memory node and the threads may run on another: every copy crosses.",
     "`numactl --cpunodebind=N --membind=N` with the node of the GPU."},
    {"HOST007",
     "",
     "Memory is short: pages travel to the swap area and back while the run goes on.",
     "`--set pipeline.feature_cache=0`, a smaller `--buffer-size`, fewer other programs."},
    {"HOST008",
     "",
     "The frequency governor keeps the cores slow while they have work.",
     "`sudo cpupower frequency-set -g performance`."},
    {"HOST009",
     "",
     "Batches need more page-locked memory than the limit of the process allows.",
     "`ulimit -l unlimited`, or `docker run --ulimit memlock=-1`."},
    {"IO001",
     "",
     "Training reads more per second than the storage behind the data set gives when nothing is "
     "cached.",
     "Copy the data set to a local disk, `qanat precompute`, or enough memory to hold it."},
    {"IO002",
     "",
     "What was read came from storage and not from memory, and the device waited meanwhile.",
     "More memory for the page cache, or shards: `qanat precompute --dtype f16` takes the least."},
    {"IO003",
     "",
     "The data set lies on a network file system or an overlay.",
     "A local copy, if the run waits for it."},
    {"IO004",
     "",
     "The data set is many small files, and opening one takes most of the time to read it.",
     "Shards: `qanat precompute`."},
    {"IO005",
     "",
     "Most of the loader's time goes into decoding and resampling, and the device waits.",
     "`qanat precompute`, or audio stored as 22050 Hz, 16-bit WAV: nothing to resample."},
    {"HW001",
     "",
     "A GPU is there, and this run does not use it.",
     "Name it with `--data-gpu` and `--model-gpu`, if this build can use it."},
    {"HW002",
     "",
     "The NVIDIA library and the loaded driver are of different versions, or the driver is too "
     "old.",
     "Reboot after an update of the driver; otherwise install a matching one."},
    {"HW003",
     "",
     "GPUs of different kinds are numbered fastest first, not as `nvidia-smi` numbers them.",
     "`CUDA_DEVICE_ORDER=PCI_BUS_ID` makes both agree."},
    {"HW004",
     "",
     "The GPU ran below its clock while it was busy: heat, power or a limit that somebody set.",
     "The finding names the reason. Better cooling, a higher power limit, or another slot."},
    {"HW005",
     "",
     "The PCIe link of the card runs with fewer lanes or in an older generation than the card "
     "could.",
     "Another slot, seated anew; nothing, if transfers are hidden behind work."},
    {"HW006",
     "",
     "The memory of the card reports errors that could not be corrected, or rows that had to be "
     "replaced.",
     "Save, and have the card tested. Results of a run with such errors are not to be trusted."},
    {"HW007",
     "",
     "The driver reports errors (Xid), or a GPU no longer answers.",
     "Look at `dmesg` for the number; reset the card or reboot."},
    {"HW008", "", "Other processes hold the same GPU.", "Stop them, or choose another card."},
    {"HW009",
     "",
     "The card has little memory left, so that a long batch may not fit.",
     "A smaller `--batch-size`, or `--enable-memory-isolation` with a budget."},
    {"HW010",
     "",
     "Without persistence mode the driver unloads between runs, and each start takes a second or "
     "more longer.",
     "`sudo nvidia-smi -pm 1`."},
});

}  // namespace

std::span<const RuleGuide> english_rule_guides() {
  return kEnglishGuides;
}

}  // namespace qanat
