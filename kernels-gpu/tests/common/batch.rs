//! Batches in the emulator, in every kind of layout.

use kernels_gpu::entry::{Entry, Family, Variant};
use kernels_gpu::shape::Shape;
use kernels_gpu::table;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::Scalar;
use simt::Pod;
use simt::cpu::{Buffer, Launch, Memory, Traffic, run};
use simt::global::Global;

/// How many layouts there are.
pub(crate) const LAYOUTS: usize = 5;

/// A batch of `rows` x `cols` matrices in the emulator; row-major on the host.
pub(crate) struct Batch {
    buffer: Buffer,
    pointers: Option<Buffer>,
    rows: usize,
    cols: usize,
    strides: [usize; 3],
    batch: usize,
}

impl Batch {
    /// An unwritten one: packed row-major, packed column-major, with gaps either way, behind pointers.
    pub(crate) fn new<T: Scalar>(memory: &Memory, batch: usize, rows: usize, cols: usize, layout: usize) -> Self {
        let strides = match layout {
            0 => [rows * cols, cols, 1],
            1 => [rows * cols, 1, rows],
            2 => [rows * (cols + 3) + 5, cols + 3, 1],
            3 => [2 * (rows + 1) * cols + 1, 2, 2 * (rows + 1)],
            _ => [rows * cols + 3, 1, rows],
        };
        let buffer = memory.allocate((batch * strides[0] + 1) * size_of::<T>());
        let pointers = (layout == 4).then(|| {
            let addresses = memory.allocate(8 * batch);
            // Matrices lie in reverse order.
            let of = |b: usize| buffer.address() + ((batch - 1 - b) * strides[0] * size_of::<T>()) as u64;
            addresses.write(0, &(0..batch).flat_map(|b| of(b).to_le_bytes()).collect::<Vec<_>>()).unwrap();
            addresses
        });
        Self { buffer, pointers, rows, cols, strides, batch }
    }

    pub(crate) fn write<T: Scalar>(&self, matrices: &[Vec<T>]) {
        for (b, matrix) in matrices.iter().enumerate() {
            for (e, value) in matrix.iter().enumerate() {
                let bytes = bytes_of(value);
                self.buffer.write(self.index(b, e) * bytes.len(), &bytes).unwrap();
            }
        }
    }

    /// The matrices; what lies between them must be untouched.
    pub(crate) fn read<T: Scalar>(&self) -> Vec<Vec<T>> {
        let mut bytes = vec![0; self.buffer.len()];
        self.buffer.read(0, &mut bytes).unwrap();
        let mut chunks: Vec<Option<&[u8]>> = bytes.chunks(size_of::<T>()).map(Some).collect();
        let size = self.rows * self.cols;
        let matrices =
            (0..self.batch).map(|b| (0..size).map(|e| of_bytes(chunks[self.index(b, e)].take().unwrap())).collect());
        let matrices = matrices.collect();
        assert!(
            chunks.into_iter().flatten().flatten().all(|&byte| byte == 0xFF),
            "an element between the matrices was written"
        );
        matrices
    }

    /// Where element `e` of matrix `b` is.
    fn index(&self, b: usize, e: usize) -> usize {
        let b = if self.pointers.is_some() { self.batch - 1 - b } else { b };
        b * self.strides[0] + e / self.cols * self.strides[1] + e % self.cols * self.strides[2]
    }

    pub(crate) fn matrices<T: Pod>(&self) -> Matrices<T> {
        let [batch_stride, row_stride, col_stride] = self.strides.map(|s| s as i64);
        // SAFETY: kernels index within the matrices; null is for absent pointers.
        let pointers = unsafe { Global::new(self.pointers.as_ref().map_or(0, Buffer::address)) };
        Matrices { base: array(&self.buffer), pointers, batch_stride, row_stride, col_stride }
    }
}

pub(crate) fn array<T: Pod>(buffer: &Buffer) -> Global<T> {
    // SAFETY: the kernels index it within its size.
    unsafe { Global::new(buffer.address()) }
}

/// Reads an array of words.
pub(crate) fn words(buffer: &Buffer) -> Vec<u32> {
    let mut bytes = vec![0; buffer.len()];
    buffer.read(0, &mut bytes).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Runs an entry point.
pub(crate) fn launch<T: Scalar, A: Copy + Send + Sync + 'static>(
    memory: &Memory,
    family: Family,
    variant: Variant,
    problem: Problem,
    args: A,
) {
    let entry = table::find(family, variant, T::KIND).unwrap();
    launch_as(memory, entry, entry.shape(&problem), (problem.n, problem.n.into()), args);
}

/// Runs an entry point for order `n` with another shape than its own, in the order of threads of a seed.
pub(crate) fn launch_as<A: Copy + Send + Sync + 'static>(
    memory: &Memory,
    entry: &'static Entry,
    shape: Shape,
    (n, seed): (u32, u64),
    args: A,
) -> Traffic {
    assert!(entry.takes::<A>());
    let launch = Launch {
        kernel: entry.name,
        grid: shape.blocks as u32,
        block: shape.threads,
        cluster: shape.cluster,
        shared_bytes: shape.shared_bytes,
        seed,
    };
    // SAFETY: the type was compared; the buffers are of the problem's size.
    run(memory, &launch, || unsafe { entry.run(&args) }).unwrap_or_else(|fault| panic!("n = {n}: {fault}"))
}

fn bytes_of<T: Scalar>(value: &T) -> Vec<u8> {
    // SAFETY: a scalar is plain data without padding.
    unsafe { std::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) }.to_vec()
}

fn of_bytes<T: Scalar>(bytes: &[u8]) -> T {
    assert_eq!(bytes.len(), size_of::<T>());
    // SAFETY: any bytes are a scalar.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}
