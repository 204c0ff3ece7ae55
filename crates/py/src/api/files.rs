//! Files of other programs, from bytes and to bytes: images as PNG and JPEG, arrays as safetensors.

use std::collections::HashMap;
use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageFormat, ImageReader};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

type Pixels<'py> = (Bound<'py, PyBytes>, usize, usize, usize);
type Entry<'py> = (String, String, Vec<usize>, Bound<'py, PyBytes>);

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(decode_image, module)?)?;
    module.add_function(wrap_pyfunction!(encode_image, module)?)?;
    module.add_function(wrap_pyfunction!(read_safetensors, module)?)?;
    module.add_function(wrap_pyfunction!(write_safetensors, module)?)
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The elements of an image, its height, width and channels: of 8 bits, or of 16 if `deep`. As many channels as asked for, or, if
/// that is none, as the file has.
#[pyfunction]
fn decode_image<'py>(py: Python<'py>, contents: &[u8], channels: usize, deep: bool) -> PyResult<Pixels<'py>> {
    let image = py.detach(|| decoded(contents))?;
    let channels = if channels == 0 { usize::from(image.color().channel_count()) } else { channels };
    let (width, height) = (image.width() as usize, image.height() as usize);
    let bytes = if deep { words(&image, channels) } else { octets(&image, channels) };
    Ok((PyBytes::new(py, &bytes), height, width, channels))
}

fn decoded(contents: &[u8]) -> PyResult<DynamicImage> {
    let format = image::guess_format(contents).map_err(wrong)?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
        return Err(PyValueError::new_err("the file is neither PNG nor JPEG"));
    }
    if format == ImageFormat::Jpeg && !is_whole(contents) {
        return Err(PyValueError::new_err("the file ends before the image does"));
    }
    ImageReader::with_format(Cursor::new(contents), format).decode().map_err(wrong)
}

/// True of the bytes of a JPEG that reach the marker of its end: the decoder fills in what is missing before it. Segments are passed
/// over by their lengths, since pictures of smaller size inside of them have ends of their own.
fn is_whole(contents: &[u8]) -> bool {
    const END: u8 = 0xD9;
    let mut at = 2;
    while let Some(rest) = contents.get(at..)
        && let [first, marker, ..] = *rest
    {
        // Elements of the image, where 255 is followed by 0 or the marker of a restart; or 255 that fills up.
        let is_inside = first != 0xFF || matches!(marker, 0x00 | 0x01 | 0xD0..=0xD7);
        at += match (is_inside || marker == 0xFF, rest) {
            (true, _) => 1,
            (false, _) if marker == END => return true,
            (false, [_, _, high, low, ..]) => 2 + usize::from(u16::from_be_bytes([*high, *low])),
            (false, _) => return false,
        };
    }
    false
}

fn octets(image: &DynamicImage, channels: usize) -> Vec<u8> {
    match channels {
        1 => image.to_luma8().into_raw(),
        2 => image.to_luma_alpha8().into_raw(),
        3 => image.to_rgb8().into_raw(),
        _ => image.to_rgba8().into_raw(),
    }
}

fn words(image: &DynamicImage, channels: usize) -> Vec<u8> {
    let words = match channels {
        1 => image.to_luma16().into_raw(),
        2 => image.to_luma_alpha16().into_raw(),
        3 => image.to_rgb16().into_raw(),
        _ => image.to_rgba16().into_raw(),
    };
    words.into_iter().flat_map(u16::to_ne_bytes).collect()
}

/// The file of an image: JPEG of a quality, or PNG if there is none.
#[pyfunction]
fn encode_image<'py>(
    py: Python<'py>,
    bytes: &[u8],
    shape: (u32, u32, usize),
    deep: bool,
    quality: Option<u8>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (height, width, channels) = shape;
    let color = match (channels, deep) {
        (1, false) => ExtendedColorType::L8,
        (2, false) => ExtendedColorType::La8,
        (3, false) => ExtendedColorType::Rgb8,
        (4, false) => ExtendedColorType::Rgba8,
        (1, true) => ExtendedColorType::L16,
        (2, true) => ExtendedColorType::La16,
        (3, true) => ExtendedColorType::Rgb16,
        (4, true) => ExtendedColorType::Rgba16,
        (0 | 5.., _) => {
            return Err(PyValueError::new_err(format!("an image has 1 to 4 channels, not {channels}")));
        }
    };
    let mut file = Vec::new();
    match quality {
        Some(quality) => {
            JpegEncoder::new_with_quality(&mut file, quality).write_image(bytes, width, height, color)
        }
        None => PngEncoder::new_with_quality(&mut file, CompressionType::Default, FilterType::Adaptive)
            .write_image(bytes, width, height, color),
    }
    .map_err(wrong)?;
    Ok(PyBytes::new(py, &file))
}

/// The dtypes of such files under our names.
const DTYPES: [(&str, Dtype); 13] = [
    ("bool", Dtype::BOOL),
    ("uint8", Dtype::U8),
    ("int8", Dtype::I8),
    ("uint16", Dtype::U16),
    ("int16", Dtype::I16),
    ("uint32", Dtype::U32),
    ("int32", Dtype::I32),
    ("uint64", Dtype::U64),
    ("int64", Dtype::I64),
    ("float16", Dtype::F16),
    ("bfloat16", Dtype::BF16),
    ("float32", Dtype::F32),
    ("float64", Dtype::F64),
];

/// Names, dtypes, shapes and elements, and the texts beside them.
#[pyfunction]
fn read_safetensors<'py>(
    py: Python<'py>,
    contents: &[u8],
) -> PyResult<(Vec<Entry<'py>>, HashMap<String, String>)> {
    let (_, metadata) = SafeTensors::read_metadata(contents).map_err(wrong)?;
    let file = SafeTensors::deserialize(contents).map_err(wrong)?;
    let mut entries = Vec::new();
    for (name, view) in file.tensors() {
        let found = DTYPES.iter().find(|(_, dtype)| *dtype == view.dtype());
        let Some((dtype, _)) = found else {
            return Err(PyValueError::new_err(format!("`{name}` has the dtype {:?}", view.dtype())));
        };
        entries.push((name, (*dtype).to_owned(), view.shape().to_vec(), PyBytes::new(py, view.data())));
    }
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    Ok((entries, metadata.metadata().clone().unwrap_or_default()))
}

/// The bytes of a file with those.
#[pyfunction]
fn write_safetensors<'py>(
    py: Python<'py>,
    entries: Vec<Entry<'py>>,
    metadata: HashMap<String, String>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut views = Vec::new();
    for (name, dtype, shape, bytes) in &entries {
        let found = DTYPES.iter().find(|(one, _)| one == dtype);
        let Some((_, kind)) = found else {
            return Err(PyValueError::new_err(format!("`{name}` has the dtype {dtype}")));
        };
        views.push((name, TensorView::new(*kind, shape.clone(), bytes.as_bytes()).map_err(wrong)?));
    }
    let file = safetensors::serialize(views, Some(metadata)).map_err(wrong)?;
    Ok(PyBytes::new(py, &file))
}
