//! The bytes of a leaf: canonical JSON, which JavaScript's `JSON.stringify` writes as well.
use odra::prelude::*;

/// Maximum size of a leaf, in bytes.
pub(super) const MAX_LEAF_BYTES: usize = 4096;

/// The id of a facet and its value; none where the publisher's rows have none.
pub(super) type FacetRef<'a> = (&'a str, Option<&'a str>);

/// A value of a dataset. All texts are those of the publisher.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf<'a> {
    pub route: &'a str,
    pub frequency: &'a str,
    pub column: &'a str,
    pub facets: Vec<FacetRef<'a>>,
    pub period: &'a str,
    pub value: Option<&'a str>,
    pub unit: Option<&'a str>,
}

impl<'a> Leaf<'a> {
    /// The elements of the key, by which the leaves of a tree are sorted. Facets without a value are empty.
    pub fn key(&self) -> Vec<&'a str> {
        let mut key = Vec::from([self.route, self.frequency, self.column]);
        for (id, value) in &self.facets {
            key.extend([*id, value.unwrap_or_default()]);
        }
        key.push(self.period);
        key
    }

    /// Whether a tree may have such a leaf.
    pub fn is_well_formed(&self) -> bool {
        let texts = [self.route, self.frequency, self.column, self.period];
        let ids = self.facets.iter().map(|(id, _)| *id);
        texts.into_iter().chain(ids.clone()).chain(self.facets.iter().filter_map(|(_, value)| *value)).all(is_key_text)
            && ids.clone().all(is_facet_id)
            && ids.clone().zip(ids.skip(1)).all(|(id, next)| id < next)
            && self.unit != Some("")
    }

    /// Writes the leaf as JSON. No text can end a string early, because [`write_text`] escapes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut json = Vec::with_capacity(512);
        let members = [
            ("{\"column\":", self.column),
            (",\"source\":{\"route\":", self.route),
            (",\"frequency\":", self.frequency),
        ];
        for (name, text) in members {
            json.extend_from_slice(name.as_bytes());
            write_text(&mut json, text);
        }
        json.extend_from_slice(b",\"facets\":[");
        for (index, (id, value)) in self.facets.iter().enumerate() {
            json.extend_from_slice(if index == 0 { b"[" } else { b",[" });
            write_text(&mut json, id);
            json.push(b',');
            write_optional(&mut json, *value);
            json.push(b']');
        }
        json.extend_from_slice(b"],\"period\":");
        write_text(&mut json, self.period);
        json.extend_from_slice(b",\"value\":");
        write_optional(&mut json, self.value);
        json.extend_from_slice(b",\"unit\":");
        write_optional(&mut json, self.unit);
        json.extend_from_slice(b"}}");
        json
    }
}

/// Whether this can be an element of a key: not empty, and without the byte that ends an element.
fn is_key_text(text: &str) -> bool {
    !text.is_empty() && !text.contains('\0')
}

fn is_facet_id(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn write_optional(json: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => write_text(json, text),
        None => json.extend_from_slice(b"null"),
    }
}

/// Writes a text as a JSON string.
fn write_text(json: &mut Vec<u8>, text: &str) {
    json.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => json.extend_from_slice(&[b'\\', byte]),
            0x08 => json.extend_from_slice(b"\\b"),
            b'\t' => json.extend_from_slice(b"\\t"),
            b'\n' => json.extend_from_slice(b"\\n"),
            0x0c => json.extend_from_slice(b"\\f"),
            b'\r' => json.extend_from_slice(b"\\r"),
            0..=0x1f => {
                json.extend_from_slice(if byte < 0x10 { b"\\u000" } else { b"\\u001" });
                json.push(b"0123456789abcdef"[usize::from(byte & 15)]);
            }
            _ => json.push(byte),
        }
    }
    json.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf<'a>() -> Leaf<'a> {
        Leaf {
            route: "electricity/retail-sales",
            frequency: "monthly",
            column: "price",
            facets: vec![("sectorid", Some("RES")), ("stateid", None)],
            period: "2026-08",
            value: Some("17.4"),
            unit: Some("cents per kilowatt-hour"),
        }
    }

    #[test]
    fn a_leaf_is_json_in_one_form() {
        let json = r#"{"column":"price","source":{"route":"electricity/retail-sales","frequency":"monthly","facets":[["sectorid","RES"],["stateid",null]],"period":"2026-08","value":"17.4","unit":"cents per kilowatt-hour"}}"#;
        assert_eq!(String::from_utf8(leaf().encode()).expect("UTF-8"), json);
        let bare = Leaf { facets: vec![], value: None, unit: None, ..leaf() };
        let json = r#"{"column":"price","source":{"route":"electricity/retail-sales","frequency":"monthly","facets":[],"period":"2026-08","value":null,"unit":null}}"#;
        assert_eq!(String::from_utf8(bare.encode()).expect("UTF-8"), json);
    }

    #[test]
    fn a_text_is_escaped_as_in_javascript() {
        let mut json = vec![];
        write_text(&mut json, "\"\\/\u{1}\u{8}\t\n\u{b}\u{c}\r\u{10}\u{1f} \u{7f}é\u{2028}😀");
        let expected = "\"\\\"\\\\/\\u0001\\b\\t\\n\\u000b\\f\\r\\u0010\\u001f \u{7f}é\u{2028}😀\"";
        assert_eq!(String::from_utf8(json).expect("UTF-8"), expected);
    }

    #[test]
    fn facets_have_ids_of_few_characters_in_order() {
        let with = |facets: &[FacetRef<'static>]| Leaf { facets: facets.to_vec(), ..leaf() };
        assert!(with(&[("a", None), ("b", Some("é"))]).is_well_formed());
        for facets in [
            [("b", None), ("a", None)],
            [("a", None), ("a", None)],
            [("a", None), ("b", Some(""))],
            [("a", None), ("b", Some("\0"))],
            [("a", None), ("é", None)],
            [("", None), ("a", None)],
        ] {
            assert!(!with(&facets).is_well_formed(), "{facets:?}");
        }
    }

    #[test]
    fn texts_of_a_key_and_units_are_not_empty() {
        assert!(leaf().is_well_formed());
        assert!(Leaf { value: Some(""), unit: None, ..leaf() }.is_well_formed());
        assert!(!Leaf { route: "", ..leaf() }.is_well_formed());
        assert!(!Leaf { frequency: "", ..leaf() }.is_well_formed());
        assert!(!Leaf { column: "a\0", ..leaf() }.is_well_formed());
        assert!(!Leaf { period: "", ..leaf() }.is_well_formed());
        assert!(!Leaf { unit: Some(""), ..leaf() }.is_well_formed());
    }
}
