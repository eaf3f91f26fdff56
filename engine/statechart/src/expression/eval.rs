//! Evaluation: a walk over the tree. `&&`, `||`, `all` and `exists` take an error of one side only
//! when the other side does not decide, as CEL has it.

use super::names::Definition;
use super::reads::ANY_KEY;
use super::tree::{Comprehension, ComprehensionKind, Expr, Item};
use super::val::{Val, weight};
use super::{Fault, Names, Scope, functions, memory, operators};
use crate::host::Worked;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use typed_arena::Arena;

type Outcome<T> = Result<T, Box<Fault>>;

pub fn eval(root: &Expr, names: Option<&Names>, scope: &Scope<'_>, steps: &Cell<u64>) -> Outcome<Value> {
    let names = names.or(scope.names);
    let made = Arena::with_capacity(0);
    let mut evaluation = Evaluation { scope, names, steps, made: &made, locals: Vec::new() };
    let value = evaluation.expr(root)?;
    evaluation.json(0, value)
}

pub fn eval_bool(root: &Expr, names: Option<&Names>, scope: &Scope<'_>, steps: &Cell<u64>) -> Outcome<bool> {
    let names = names.or(scope.names);
    let made = Arena::with_capacity(0);
    let mut evaluation = Evaluation { scope, names, steps, made: &made, locals: Vec::new() };
    evaluation.bool(0, root)
}

struct Evaluation<'a, 'e> {
    scope: &'e Scope<'a>,
    /// What names mean where it is written.
    names: Option<&'e Names>,
    steps: &'e Cell<u64>,
    /// Lists and maps that variables stand for: whoever reads a variable borrows.
    made: &'e Arena<Value>,
    /// Arguments of the value that is worked out, then variables of comprehensions.
    locals: Vec<Val<'e>>,
}

type Evaluated<'a> = Result<Val<'a>, Box<Fault>>;

impl<'a: 'e, 'e> Evaluation<'a, 'e> {
    fn expr(&mut self, expr: &'e Expr) -> Evaluated<'e> {
        self.charge(0, 1)?;
        match expr {
            Expr::Null => Ok(Val::Null),
            Expr::Bool(b) => Ok(Val::Bool(*b)),
            Expr::Int(i) => Ok(Val::Int(*i)),
            Expr::Double(d) => Ok(Val::Double(*d)),
            Expr::Text(s) => Ok(Val::Str(s)),
            Expr::Literal(json) => Ok(Val::borrowed(json)),
            Expr::Local(i) => self.local(*i),
            Expr::Context => self.variable(0, "context"),
            Expr::Event => self.variable(0, "event"),
            Expr::Variable(at, name) => self.variable(*at, name),
            Expr::Place(at, name) => self.place(*at, name),
            Expr::Value(at, name, arguments) => self.value(*at, name, arguments),
            Expr::Select(at, base, field) => self.select(*at, base, field),
            Expr::Has(at, base, field) => self.has(*at, base, field).map(Val::Bool),
            Expr::Index(at, base, index) => {
                let base_value = self.expr(base)?;
                self.index(*at, base, base_value, index)
            }
            Expr::OptionalSelect(..) | Expr::OptionalIndex(..) | Expr::Either(..) => {
                Ok(self.optional(expr)?.unwrap_or(Val::Null))
            }
            Expr::OrValue(optional, other) => match self.optional(optional)? {
                Some(value) => Ok(value),
                None => self.expr(other),
            },
            Expr::HasValue(optional) => Ok(Val::Bool(self.optional(optional)?.is_some())),
            Expr::List(items) => self.list(items),
            Expr::Map(entries) => self.map(entries),
            Expr::Not(at, inner) => self.bool(*at, inner).map(|b| Val::Bool(!b)),
            Expr::Negate(at, inner) => self.negate(*at, inner),
            Expr::Binary(at, operator, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                if left.as_text().is_some() || left.as_list().is_some() {
                    self.charge(*at, self.size(&left) + self.size(&right))?;
                }
                operators::binary(*operator, left, right).map_err(|m| Fault::new(*at, m))
            }
            Expr::And(at, terms) => self.decide(*at, terms, false),
            Expr::Or(at, terms) => self.decide(*at, terms, true),
            Expr::Conditional(at, parts) => {
                let [condition, then, otherwise] = &**parts;
                if self.bool(*at, condition)? { self.expr(then) } else { self.expr(otherwise) }
            }
            Expr::Call(at, function, args) => self.call(*at, *function, args),
            Expr::Host(at, name, args) => self.host(*at, name, args),
            Expr::InState(node) => Ok(Val::Bool(self.scope.active.is_some_and(|a| a.binary_search(node).is_ok()))),
            Expr::Comprehension(at, comprehension) => self.comprehension(*at, comprehension),
            Expr::Items(items) => self.items(items),
            Expr::Written(written) => {
                let around = self.names;
                self.names = written.names.as_deref().or(around);
                let value = self.expr(&written.expr);
                self.names = around;
                value.map_err(|fault| fault.within(written))
            }
        }
    }

    /// A value of the file: remembered, or worked out now.
    fn value(&mut self, at: u32, name: &'e str, arguments: &'e [Expr]) -> Evaluated<'e> {
        let Some((names, (slot, definition))) = self.names.and_then(|n| Some((n, n.find(name)?))) else {
            return if arguments.is_empty() { self.place(at, name) } else { Err(unknown(at, name)) };
        };
        if definition.parameters.len() != arguments.len() {
            return Err(unknown(at, name));
        }
        let mut locals = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let argument = self.expr(argument)?;
            locals.push(self.lent(argument));
        }
        let explains = self.scope.host.filter(|host| host.explains());
        let is_kept = explains.is_some() || !definition.is_path;
        let memory = self.scope.memory.filter(|_| is_kept && memory::is_comparable(&locals));
        if let Some(found) = memory.and_then(|memory| memory.find(names.id, slot, &locals)) {
            return Ok(Val::borrowed(found));
        }
        let key = match memory {
            Some(_) => locals.iter().cloned().map(Val::into_json).collect::<Result<_, _>>(),
            None => Ok(Vec::new()),
        };
        let key: Vec<Value> = key.map_err(|m| Fault::new(at, m))?;
        let mut inner = Evaluation { names: Some(names), locals, ..*self };
        let value = inner.expr(&definition.body).map_err(|fault| fault.of_value(name))?;
        let Some(memory) = memory else { return Ok(value) };
        let value = self.json(at, value)?;
        if let Some(host) = explains {
            let inputs = self.inputs(definition, names);
            host.explain(Worked { name, arguments: &key, inputs, result: &value });
        }
        match memory.keep((names.id, names.values.len()), slot, key, value) {
            Ok(kept) => Ok(Val::borrowed(kept)),
            Err(value) => Ok(Val::from_value(value)),
        }
    }

    /// What a value read of the context as it is now; a computed key ends a path.
    fn inputs(&self, definition: &Definition, names: &Names) -> Vec<(String, Value)> {
        let mut found = BTreeMap::new();
        for path in definition.body.paths(names) {
            let fixed: Vec<&str> = path.into_iter().take_while(|key| *key != ANY_KEY).collect();
            let Some((first, rest)) = fixed.split_first() else { continue };
            let start = self.scope.context.and_then(|context| context.get(*first));
            let value = start.and_then(|start| rest.iter().try_fold(start, |value, key| value.get(*key)));
            if let Some(value) = value {
                found.insert(fixed.join("."), value.clone());
            }
        }
        found.into_iter().collect()
    }

    /// A short name for a place of the context.
    fn place(&mut self, at: u32, name: &'e str) -> Evaluated<'e> {
        let Some(path) = self.names.and_then(|names| names.signatures.place(name)) else {
            return Err(unknown(at, name));
        };
        let mut value = self.variable(at, "context")?;
        for key in path {
            value = match value {
                Val::Map(map) => map.get(&**key).map(Val::borrowed),
                _ => None,
            }
            .ok_or_else(|| Fault::new(at, format!("`{name}` has no value here")))?;
        }
        Ok(value)
    }

    /// The value of something that may be absent. What is null has nothing either.
    fn optional(&mut self, expr: &'e Expr) -> Outcome<Option<Val<'e>>> {
        self.charge(0, 1)?;
        match expr {
            Expr::OptionalSelect(at, base, field) => match self.optional(base)? {
                None | Some(Val::Null) => Ok(None),
                Some(Val::Map(map)) => Ok(map.get(&**field).map(Val::borrowed)),
                Some(Val::Event(event)) if &**field == "type" => Ok(Some(Val::Str(&event.kind))),
                Some(Val::Event(event)) => Ok(event.data.get(&**field).map(Val::borrowed)),
                Some(Val::Made(mut json)) => match json.as_object_mut() {
                    Some(map) => Ok(map.get_mut(&**field).map(|v| Val::from_value(v.take()))),
                    None => Err(missing(*at, base, &**field, false)),
                },
                Some(_) => Err(missing(*at, base, &**field, false)),
            },
            Expr::OptionalIndex(at, base, index) => {
                let Some(value) = self.optional(base)? else { return Ok(None) };
                let is_there = match (&value, self.expr(index)?) {
                    (Val::Null, _) => false,
                    (Val::Event(event), key) => {
                        key.as_text().is_some_and(|k| k == "type" || event.data.contains_key(k))
                    }
                    (_, Val::Int(i)) => {
                        value.as_list().is_none_or(|items| usize::try_from(i).is_ok_and(|i| i < items.len()))
                    }
                    (_, key) => match (value.as_map(), key.as_text()) {
                        (Some(map), Some(key)) => map.contains_key(key),
                        _ => true,
                    },
                };
                if is_there { self.index(*at, base, value, index).map(Some) } else { Ok(None) }
            }
            Expr::Either(first, second) => match self.optional(first)? {
                Some(value) => Ok(Some(value)),
                None => self.optional(second),
            },
            _ => self.expr(expr).map(Some),
        }
    }

    /// Each item gives none, one or many.
    fn items(&mut self, items: &'e [Item]) -> Evaluated<'e> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let Some((each, local)) = &item.each else {
                self.add(item, &mut list)?;
                continue;
            };
            let elements = self.elements(0, each)?;
            for element in elements {
                self.locals.truncate(*local);
                self.locals.push(element);
                self.add(item, &mut list)?;
            }
            self.locals.truncate(*local);
        }
        Ok(Val::Made(Box::new(Value::Array(list))))
    }

    fn add(&mut self, item: &'e Item, list: &mut Vec<Value>) -> Outcome<()> {
        if item.when.as_ref().map_or(Ok(true), |when| self.bool(0, when))? {
            let value = self.expr(&item.value)?;
            list.push(self.json(0, value)?);
        }
        Ok(())
    }

    fn bool(&mut self, at: u32, expr: &'e Expr) -> Result<bool, Box<Fault>> {
        match self.expr(expr)? {
            Val::Bool(b) => Ok(b),
            other => Err(Fault::new(at, format!("expected a boolean, got {}", other.kind()))),
        }
    }

    /// `&&` (decided by false) and `||` (decided by true).
    fn decide(&mut self, at: u32, terms: &'e [Expr], decided_by: bool) -> Evaluated<'e> {
        let mut error = None;
        for term in terms {
            match self.bool(at, term) {
                Ok(b) if b == decided_by => return Ok(Val::Bool(decided_by)),
                Ok(_) => {}
                Err(fault) if self.steps.get() == 0 => return Err(fault),
                Err(fault) => error = error.or(Some(fault)),
            }
        }
        error.map_or(Ok(Val::Bool(!decided_by)), Err)
    }

    fn variable(&mut self, at: u32, name: &str) -> Evaluated<'e> {
        let direct = match name {
            "context" => self.scope.context.map(Val::Map),
            "event" => self.scope.event.map(Val::Event),
            _ => None,
        };
        let value = direct.or_else(|| self.scope.variable(name));
        value.ok_or_else(|| Fault::new(at, format!("`{name}` has no value here")))
    }

    fn local(&mut self, index: usize) -> Evaluated<'e> {
        self.locals.get(index).cloned().ok_or_else(|| Fault::new(0, "variable is out of reach"))
    }

    /// Makes a value fit for a variable: a list or map of our own is put where it can be borrowed from.
    fn lent(&self, value: Val<'e>) -> Val<'e> {
        match value {
            Val::Made(json) => Val::borrowed(self.made.alloc(*json)),
            other => other,
        }
    }

    fn select(&mut self, at: u32, base: &'e Expr, field: &'e str) -> Evaluated<'e> {
        match self.expr(base)? {
            Val::Map(map) => map.get(field).map(Val::borrowed).ok_or_else(|| missing(at, base, field, true)),
            Val::Event(event) if field == "type" => Ok(Val::Str(&event.kind)),
            Val::Event(event) => event.data.get(field).map(Val::borrowed).ok_or_else(|| missing(at, base, field, true)),
            Val::Made(mut json) => match json.as_object_mut().map(|map| map.get_mut(field).map(Value::take)) {
                Some(Some(value)) => Ok(Val::from_value(value)),
                Some(None) => Err(missing(at, base, field, true)),
                None => Err(missing(at, base, field, false)),
            },
            _ => Err(missing(at, base, field, false)),
        }
    }

    fn has(&mut self, at: u32, base: &'e Expr, field: &str) -> Result<bool, Box<Fault>> {
        match self.expr(base)? {
            Val::Event(event) => Ok(field == "type" || event.data.contains_key(field)),
            other => match other.as_map() {
                Some(map) => Ok(map.contains_key(field)),
                None => Err(Fault::new(at, format!("`has` looks into a map, not into {}", other.kind()))),
            },
        }
    }

    fn index(&mut self, at: u32, base: &'e Expr, base_value: Val<'e>, index: &'e Expr) -> Evaluated<'e> {
        let index = self.expr(index)?;
        let position = |length: usize| {
            let Val::Int(i) = index else {
                return Err(Fault::new(at, format!("a list is indexed by an int, not by {}", index.kind())));
            };
            let found = usize::try_from(i).ok().filter(|i| *i < length);
            found.ok_or_else(|| Fault::new(at, format!("index {i} is outside the list of {length}")))
        };
        let key = || {
            index
                .as_text()
                .ok_or_else(|| Fault::new(at, format!("a map is indexed by a string, not by {}", index.kind())))
        };
        match base_value {
            Val::List(items) => Ok(Val::borrowed(&items[position(items.len())?])),
            Val::Map(map) => {
                let key = key()?;
                map.get(key).map(Val::borrowed).ok_or_else(|| missing(at, base, key, true))
            }
            Val::Event(event) => match key()? {
                "type" => Ok(Val::Str(&event.kind)),
                key => event.data.get(key).map(Val::borrowed).ok_or_else(|| missing(at, base, key, true)),
            },
            Val::Made(mut json) => match &mut *json {
                Value::Array(items) => {
                    let i = position(items.len())?;
                    Ok(Val::from_value(items[i].take()))
                }
                Value::Object(map) => {
                    let key = key()?;
                    map.get_mut(key).map(|v| Val::from_value(v.take())).ok_or_else(|| missing(at, base, key, true))
                }
                _ => Err(Fault::new(at, "only lists and maps have elements")),
            },
            other => Err(Fault::new(at, format!("only lists and maps have elements, not {}", other.kind()))),
        }
    }

    fn list(&mut self, items: &'e [Expr]) -> Evaluated<'e> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let value = self.expr(item)?;
            list.push(self.json(0, value)?);
        }
        Ok(Val::Made(Box::new(Value::Array(list))))
    }

    fn map(&mut self, entries: &'e [(u32, Expr, Expr)]) -> Evaluated<'e> {
        let mut map = Map::new();
        for (at, key, value) in entries {
            let key = match self.expr(key)? {
                Val::Str(s) => s.to_owned(),
                Val::Text(s) => s,
                other => return Err(Fault::new(*at, format!("a key is a string, not {}", other.kind()))),
            };
            let value = self.expr(value)?;
            let value = self.json(*at, value)?;
            if map.insert(key, value).is_some() {
                return Err(Fault::new(*at, "key appears twice in the map"));
            }
        }
        Ok(Val::Made(Box::new(Value::Object(map))))
    }

    fn negate(&mut self, at: u32, inner: &'e Expr) -> Evaluated<'e> {
        match self.expr(inner)? {
            Val::Int(i) => i.checked_neg().map(Val::Int).ok_or_else(|| Fault::new(at, "integer overflow")),
            Val::Double(d) => Ok(Val::Double(-d)),
            other => Err(Fault::new(at, format!("cannot negate {}", other.kind()))),
        }
    }

    fn call(&mut self, at: u32, function: functions::Function, args: &'e [Expr]) -> Evaluated<'e> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.expr(arg)?;
            if value.as_text().is_some() {
                self.charge(at, self.size(&value))?;
            }
            values.push(value);
        }
        functions::call(function, &values).map_err(|m| Fault::new(at, m))
    }

    fn host(&mut self, at: u32, name: &str, args: &'e [Expr]) -> Evaluated<'e> {
        let Some(host) = self.scope.host else {
            return Err(Fault::new(at, format!("function `{name}` is not available here")));
        };
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.expr(arg)?;
            values.push(self.json(at, value)?);
        }
        if let Some(lent) = host.lend(name, &values) {
            return lent.map(Val::borrowed).map_err(|m| Fault::new(at, m));
        }
        let value = host.call(name, &mut values).map_err(|m| Fault::new(at, m))?;
        self.charge(at, weight(&value))?;
        Ok(Val::from_value(value))
    }

    fn comprehension(&mut self, at: u32, comprehension: &'e Comprehension) -> Evaluated<'e> {
        let elements = match self.some(at, comprehension)? {
            Some(elements) => elements,
            None => self.elements(at, &comprehension.range)?,
        };
        self.locals.truncate(comprehension.local);
        let result = self.fold(at, comprehension, elements);
        self.locals.truncate(comprehension.local);
        result
    }

    /// The items of a list of the host that may meet a condition which begins with `item.key == text`: the others need
    /// not be looked at. `None`: all have to be.
    fn some(&mut self, at: u32, comprehension: &'e Comprehension) -> Outcome<Option<Vec<Val<'e>>>> {
        let Some(host) = self.scope.host.filter(|host| !host.explains()) else { return Ok(None) };
        let Some((name, of, key, other)) = comprehension.equal_key() else { return Ok(None) };
        // What cannot be worked out is told where an item is held against it.
        let Ok(wanted) = self.expr(other) else { return Ok(None) };
        let wanted = match &wanted {
            Val::Str(text) => *text,
            Val::Text(text) => text.as_str(),
            _ => return Ok(None),
        };
        let Some(items) = host.lend_some(name, of, key, wanted) else { return Ok(None) };
        self.charge(at, items.len() as u64)?;
        Ok(Some(items.into_iter().map(Val::borrowed).collect()))
    }

    /// The items of a list, or the keys of a map.
    fn elements(&mut self, at: u32, range: &'e Expr) -> Outcome<Vec<Val<'e>>> {
        let range = self.expr(range)?;
        let elements: Vec<Val<'e>> = match self.lent(range) {
            Val::List(items) => items.iter().map(Val::borrowed).collect(),
            Val::Map(map) => map.keys().map(|k| Val::Str(k)).collect(),
            other => return Err(Fault::new(at, format!("expected a list or a map, got {}", other.kind()))),
        };
        self.charge(at, elements.len() as u64)?;
        Ok(elements)
    }

    fn fold(&mut self, at: u32, comprehension: &'e Comprehension, elements: Vec<Val<'e>>) -> Evaluated<'e> {
        let mut error = None;
        let mut matches = 0u64;
        let mut list = Vec::new();
        let mut so_far = match &comprehension.kind {
            ComprehensionKind::Fold(initial, _) => self.expr(initial)?,
            _ => Val::Null,
        };
        for element in elements {
            self.locals.truncate(comprehension.local);
            self.locals.push(element);
            match &comprehension.kind {
                ComprehensionKind::All(condition) | ComprehensionKind::Exists(condition) => {
                    let decided_by = matches!(comprehension.kind, ComprehensionKind::Exists(_));
                    match self.bool(at, condition) {
                        Ok(b) if b == decided_by => return Ok(Val::Bool(decided_by)),
                        Ok(_) => {}
                        Err(fault) if self.steps.get() == 0 => return Err(fault),
                        Err(fault) => error = error.or(Some(fault)),
                    }
                }
                ComprehensionKind::ExistsOne(condition) => matches += u64::from(self.bool(at, condition)?),
                ComprehensionKind::Filter(condition) => {
                    if self.bool(at, condition)? {
                        let element = self.local(comprehension.local)?;
                        list.push(self.json(at, element)?);
                    }
                }
                ComprehensionKind::Map(condition, value) => {
                    let wanted = condition.as_ref().map_or(Ok(true), |c| self.bool(at, c))?;
                    if wanted {
                        let value = self.expr(value)?;
                        list.push(self.json(at, value)?);
                    }
                }
                ComprehensionKind::Fold(_, value) => {
                    self.locals.push(so_far);
                    let value = self.expr(value)?;
                    so_far = Val::from_value(self.json(at, value)?);
                }
            }
        }
        match (&comprehension.kind, error) {
            (ComprehensionKind::All(_) | ComprehensionKind::Exists(_), Some(fault)) => Err(fault),
            (ComprehensionKind::All(_), None) => Ok(Val::Bool(true)),
            (ComprehensionKind::Exists(_), None) => Ok(Val::Bool(false)),
            (ComprehensionKind::ExistsOne(_), _) => Ok(Val::Bool(matches == 1)),
            (ComprehensionKind::Fold(..), _) => Ok(so_far),
            (ComprehensionKind::Filter(_) | ComprehensionKind::Map(..), _) => {
                Ok(Val::Made(Box::new(Value::Array(list))))
            }
        }
    }

    /// A copy for keeping; counted by its size.
    fn json(&self, at: u32, value: Val<'e>) -> Result<Value, Box<Fault>> {
        self.charge(at, self.size(&value))?;
        value.into_json().map_err(|m| Fault::new(at, m))
    }

    /// What copying the value costs; nothing when it is already our own.
    fn size(&self, value: &Val<'_>) -> u64 {
        match value {
            Val::Null | Val::Bool(_) | Val::Int(_) | Val::Double(_) => 0,
            Val::Str(s) => s.len() as u64 / 16,
            Val::Text(s) => s.len() as u64 / 16,
            Val::List(items) => items.iter().map(weight).sum(),
            Val::Map(map) => map.values().map(|v| 2 + weight(v)).sum(),
            Val::Event(event) => event.data.values().map(|v| 2 + weight(v)).sum(),
            Val::Made(json) => match &**json {
                Value::Array(items) => items.len() as u64,
                Value::Object(map) => map.len() as u64,
                _ => 0,
            },
        }
    }

    fn charge(&self, at: u32, steps: u64) -> Result<(), Box<Fault>> {
        match self.steps.get().checked_sub(steps) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => {
                self.steps.set(0);
                Err(Fault::new(at, "evaluation takes too many steps"))
            }
        }
    }
}

fn unknown(at: u32, name: &str) -> Box<Fault> {
    Fault::new(at, format!("`{name}` has no value here"))
}

fn missing<'x>(at: u32, base: &Expr, field: impl Into<Cow<'x, str>>, is_map: bool) -> Box<Fault> {
    let field = field.into();
    match (describe(base), is_map) {
        (Some(path), true) => Fault::new(at, format!("`{path}` has no `{field}`")),
        (None, true) => Fault::new(at, format!("the map has no `{field}`")),
        (Some(path), false) => Fault::new(at, format!("`{path}` is not a map, so it has no `{field}`")),
        (None, false) => Fault::new(at, format!("this value is not a map, so it has no `{field}`")),
    }
}

fn describe(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Context => Some("context".into()),
        Expr::Event => Some("event".into()),
        Expr::Variable(_, name) | Expr::Place(_, name) => Some(name.to_string()),
        Expr::Value(_, name, arguments) if arguments.is_empty() => Some(name.to_string()),
        Expr::Written(written) => describe(&written.expr),
        Expr::Select(_, base, field) => Some(format!("{}.{field}", describe(base)?)),
        _ => None,
    }
}
