//! Where to measure.

use warplu::Device;

use crate::failure::Result;

/// What `--device` and `--memory` say.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct DeviceArgs {
    /// auto (a GPU if one answers, else the CPU), cpu, cuda, cuda:K (GPU number K), cuda:0,1 (these GPUs together),
    /// cuda:all, sim (the emulator of a GPU) or sim:N (N of them together)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Most memory for chunks in flight (on a GPU, of its memory; on several, of each one's), in bytes, or with K, M or G
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<usize>,
}

impl DeviceArgs {
    pub(crate) fn open(&self) -> Result<Device> {
        let device = Device::by_name(&self.device)?;
        Ok(match self.memory {
            Some(bytes) => device.with_memory_limit(bytes),
            None => device,
        })
    }
}

fn parse_bytes(text: &str) -> std::result::Result<usize, String> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units.into_iter().find(|(letter, _)| text.ends_with([*letter, letter.to_ascii_lowercase()]));
    let (digits, shift) = unit.map_or((text, 0), |(_, shift)| (&text[..text.len() - 1], shift));
    let number: usize = digits.parse().map_err(|_| "give a number of bytes, such as 512M or 2G".to_owned())?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(|| "between 1 and 2^64 bytes".to_owned())
}
