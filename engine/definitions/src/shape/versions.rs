//! What of an old shape a new one still takes and gives.

use super::{Misfit, Shape, Type};

impl Shape {
    /// Why whoever sends by `old` cannot send by this: a new property without default, one that is gone, a kind
    /// that is no longer taken.
    pub fn refuses(&self, old: &Shape) -> Option<Misfit> {
        self.narrower(old, true)
    }

    /// `takes`: old values must fit here; else: values of here must fit the old shape.
    fn narrower(&self, old: &Shape, takes: bool) -> Option<Misfit> {
        let here = |message: String| Some(Misfit { pointer: String::new(), message });
        let (narrow, wide) = if takes { (old, self) } else { (self, old) };
        let has = |t: &Type| wide.types.contains(t) || *t == Type::Integer && wide.types.contains(&Type::Number);
        if !narrow.types.iter().all(has) {
            return here(format!("was {} and is {}", old.phrase(), self.phrase()));
        }
        match (&narrow.choices, &wide.choices) {
            (Some(narrow), Some(wide)) if narrow.iter().all(|value| wide.contains(value)) => {}
            (_, None) => {}
            _ => return here("has other values to choose from".into()),
        }
        if wide.format.is_some() && wide.format != narrow.format {
            return here("has another format".into());
        }
        let tighter = wide.minimum.is_some_and(|min| narrow.minimum.is_none_or(|m| m < min))
            || wide.maximum.is_some_and(|max| narrow.maximum.is_none_or(|m| m > max));
        if tighter {
            return here("has other bounds".into());
        }
        if let (Some(new), Some(old)) = (&self.items, &old.items)
            && let Some(misfit) = new.narrower(old, takes)
        {
            return Some(misfit.below("0"));
        }
        let (Some(new_ones), Some(old_ones)) = (&self.properties, &old.properties) else {
            return (wide.properties.is_some() && narrow.types.contains(&Type::Object))
                .then(|| here("is closed now".into()))
                .flatten();
        };
        for (name, old) in old_ones {
            let misfit = match new_ones.get(name) {
                Some(new) => new.narrower(old, takes),
                None => here("is gone".into()),
            };
            if let Some(misfit) = misfit {
                return Some(misfit.below(name));
            }
        }
        let added = new_ones.iter().find(|(name, s)| !old_ones.contains_key(*name) && s.default.is_none() && takes);
        added.and_then(|(name, _)| Some(here("is new and has no default".into())?.below(name)))
    }

    /// Why whoever reads by `old` cannot read what is given by this.
    pub fn gives_less(&self, old: &Shape) -> Option<Misfit> {
        self.narrower(old, false)
    }
}
