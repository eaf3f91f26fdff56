//! JSON that many answers share: written out once, sent as it stands.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::ops::Deref;
use std::sync::Arc;

/// A value with its text. A clone costs nothing, writing it costs a copy of bytes.
#[derive(Clone, Debug)]
pub struct Frozen(Arc<(Value, Box<RawValue>)>);

impl From<Value> for Frozen {
    fn from(value: Value) -> Self {
        // A value can always be written.
        let text = to_raw_value(&value).unwrap_or_default();
        Frozen(Arc::new((value, text)))
    }
}

impl Deref for Frozen {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.0.0
    }
}

impl PartialEq for Frozen {
    fn eq(&self, other: &Frozen) -> bool {
        **self == **other
    }
}

impl Serialize for Frozen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.1.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Frozen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Frozen, D::Error> {
        Value::deserialize(deserializer).map(Frozen::from)
    }
}
