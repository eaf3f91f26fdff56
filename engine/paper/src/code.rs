//! An address as a QR code.

use crate::Error;
use qrcode::{Color, EcLevel, QrCode};

/// Dark squares by row and column, without the quiet zone around.
pub struct Squares {
    pub side: usize,
    pub dark: Vec<(usize, usize)>,
}

/// Makes a QR code that is readable with an eighth of it spoilt: a paper is folded.
pub fn squares(address: &str) -> Result<Squares, Error> {
    let code = QrCode::with_error_correction_level(address, EcLevel::M)?;
    let side = code.width();
    let colours = code.to_colors();
    let dark = colours.iter().enumerate().filter(|(_, colour)| **colour == Color::Dark);
    Ok(Squares { side, dark: dark.map(|(at, _)| (at / side, at % side)).collect() })
}
