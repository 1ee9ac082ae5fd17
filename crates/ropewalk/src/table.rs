//! Tables of a scene file under construction.

use glam::{DQuat, DVec3};
use toml::{Table, Value};

/// What can stand as a value in a scene file.
pub(crate) trait IntoValue {
    /// The value.
    fn into_value(self) -> Value;
}

impl IntoValue for f64 {
    fn into_value(self) -> Value {
        Value::Float(self)
    }
}
impl IntoValue for u32 {
    fn into_value(self) -> Value {
        Value::Integer(i64::from(self))
    }
}
impl IntoValue for bool {
    fn into_value(self) -> Value {
        Value::Boolean(self)
    }
}
impl IntoValue for &str {
    fn into_value(self) -> Value {
        Value::String(self.to_owned())
    }
}
impl IntoValue for String {
    fn into_value(self) -> Value {
        Value::String(self)
    }
}
impl IntoValue for DVec3 {
    fn into_value(self) -> Value {
        self.to_array().into_value()
    }
}
impl IntoValue for DQuat {
    fn into_value(self) -> Value {
        self.to_array().into_value()
    }
}
impl<T: IntoValue, const N: usize> IntoValue for [T; N] {
    fn into_value(self) -> Value {
        Value::Array(self.into_iter().map(T::into_value).collect())
    }
}
impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value(self) -> Value {
        Value::Array(self.into_iter().map(T::into_value).collect())
    }
}
impl IntoValue for Table {
    fn into_value(self) -> Value {
        Value::Table(self)
    }
}

/// A table of some keys.
pub(crate) fn table<const N: usize>(keys: [(&str, Value); N]) -> Table {
    keys.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// `{ name = { keys } }`, as kinds of curves, sections and shapes are written.
pub(crate) fn tagged<const N: usize>(name: &str, keys: [(&str, Value); N]) -> Value {
    Value::Table(table([(name, Value::Table(table(keys)))]))
}

/// A type that is a value of the scene file.
macro_rules! value_type {
    ($type:ident) => {
        impl crate::table::IntoValue for $type {
            fn into_value(self) -> toml::Value {
                self.0
            }
        }
    };
}

/// Functions that set a key of a table: `name: type` where the key has the name of the function, `name = "key": type`
/// where it has another.
macro_rules! keys {
    ($type:ident { $( $(#[$doc:meta])* $name:ident $(= $key:literal)? : $value:ty, )* }) => {
        impl $type {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self, $name: $value) -> Self {
                    #[allow(unused_mut, unused_assignments)]
                    let mut key = stringify!($name);
                    $( key = $key; )?
                    self.0.insert(key.to_owned(), crate::table::IntoValue::into_value($name));
                    self
                }
            )*

            /// Sets any key of the scene file by its name; see `docs/scenes.md`.
            #[must_use]
            pub fn set(mut self, key: &str, value: impl Into<toml::Value>) -> Self {
                self.0.insert(key.to_owned(), value.into());
                self
            }
        }

        impl crate::table::IntoValue for $type {
            fn into_value(self) -> toml::Value {
                toml::Value::Table(self.0)
            }
        }
    };
}

pub(crate) use {keys, value_type};
