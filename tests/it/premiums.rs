//! A second calculator of premiums beside the insurers' rating scripts: it reads no table and no definition, every
//! figure is typed in here again. Both rate 500 random cars and bikes, and must agree on each line to the paisa.

use futures::StreamExt;
use journey_tests::server::{TestServer, all_definitions};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const VEHICLES: usize = 500;
/// How many are drawn to know what can be combined at all, and among how many the next of the 500 is chosen.
const DRAWN: usize = 5_000;
const CANDIDATES: usize = 12;
/// Age in days above every row of a table, and an engine larger than every class.
const ANY: i64 = i64::MAX;

/// Insurer, its discount on own damage in percent for cars of up to 1095, 1826, 3652 days and older ones, and for bikes
/// of up to 1826 days and older ones.
const INSURERS: [(&str, [i64; 4], [i64; 2]); 4] = [
    ("hdfc-ergo", [62, 58, 50, 35], [55, 40]),
    ("reliance", [68, 64, 55, 40], [60, 45]),
    ("icici-lombard", [60, 57, 50, 35], [52, 40]),
    ("bajaj-allianz", [61, 58, 52, 38], [56, 42]),
];
/// Add-on, its key of the request, whether bikes have it.
const ADD_ONS: [(&str, &str, bool); 11] = [
    ("zeroDepreciationCover", "isZeroDep", true),
    ("consumablesCover", "isConsumablesCover", true),
    ("engineCover", "isEngineProtection", true),
    ("invoiceCover", "isInvoiceCover", true),
    ("roadsideAssistanceCover", "isRsaCover", true),
    ("tyreSecure", "isTyreSecure", false),
    ("keyReplacementCover", "isKeyReplacementCover", false),
    ("lossOfPersonalBelonging", "isLossOfPersonalBelonging", false),
    ("ncbProtectionCover", "isNcbProtection", false),
    ("paidDriverCover", "isPaidDriverCover", false),
    ("ownerDriverCover", "isOwnerDriverCover", true),
];
/// Bounds of ages in days, of all tables.
const AGES: [i64; 11] = [182, 365, 730, 1095, 1461, 1826, 2191, 2556, 2922, 3652, 5478];
const OFFICES: [(&str, bool); 6] =
    [("MH-12", true), ("DL-03", true), ("TN-01", true), ("UP-16", false), ("GJ-05", false), ("TN-37", false)];

/// What is rated. Rates are thousandths of a percent, amounts paise unless they say otherwise.
#[derive(Clone, Debug)]
struct Vehicle {
    insurer: usize,
    is_car: bool,
    is_new: bool,
    office: &'static str,
    zone_a: bool,
    fuel: &'static str,
    /// cc, or kW of an electric motor.
    size: i64,
    seats: i64,
    price: i64,
    age_days: i64,
    plan_type: &'static str,
    lead_type: &'static str,
    ncb: i64,
    /// Insured value in percent of the usual one.
    idv_percent: i64,
    deductible: i64,
    passenger_cover: i64,
    add_ons: Vec<usize>,
}

/// Divides to the nearest, halves up; no amount here is negative.
pub fn half_up(numerator: i64, denominator: i64) -> i64 {
    let (n, d) = (i128::from(numerator), i128::from(denominator));
    i64::try_from((2 * n + d) / (2 * d)).expect("an amount")
}

fn part(amount: i64, rate: i64) -> i64 {
    half_up(amount.checked_mul(rate).expect("a small amount"), 100_000)
}

/// Dimensions and their values.
type Combination = Vec<(usize, i64)>;

/// Vehicles, so many that everything is combined which some 5,000 random ones combine: each is the one of some
/// candidates that brings most of what is missing.
fn vehicles(random: &mut StdRng) -> Vec<Vehicle> {
    let possible: BTreeSet<Combination> = (0..DRAWN).flat_map(|n| Vehicle::random(n, random).combinations()).collect();
    let mut missing = possible;
    let mut vehicles = Vec::with_capacity(VEHICLES);
    for number in 0..VEHICLES {
        let candidates = (0..CANDIDATES).map(|_| Vehicle::random(number, random));
        let brings = |vehicle: &Vehicle| vehicle.combinations().iter().filter(|one| missing.contains(*one)).count();
        let best = candidates.max_by_key(brings).expect("a candidate");
        for one in best.combinations() {
            missing.remove(&one);
        }
        vehicles.push(best);
    }
    assert_eq!(missing.into_iter().collect::<Vec<_>>(), Vec::<Combination>::new(), "never combined");
    vehicles
}

/// The first whose bound is not below.
pub fn up_to<T: Copy>(value: i64, rows: &[(i64, T)]) -> Option<T> {
    rows.iter().find(|(bound, _)| value <= *bound).map(|(_, found)| *found)
}

impl Vehicle {
    fn random(number: usize, random: &mut StdRng) -> Vehicle {
        // What must occur in every combination goes round; the rest is drawn.
        let (is_car, plan) = (number % 10 < 6, number / 10 % 3);
        let fuels: &[&str] = if is_car {
            &["petrol", "diesel", "cng", "lpg", "hybrid", "electric"]
        } else {
            &["petrol", "cng", "electric"]
        };
        let (fuel, is_new) = (*fuels.choose(random).expect("a fuel"), random.random_bool(0.15));
        let (insurer, (office, zone_a)) =
            (random.random_range(0..INSURERS.len()), *OFFICES.choose(random).expect("an office"));
        let size = match (fuel, is_car) {
            ("electric", true) => [25, 30, 31, 65, 66, 130].choose(random),
            ("electric", false) => [3, 4, 7, 8, 16, 17].choose(random),
            (_, true) => [796, 1000, 1001, 1197, 1500, 1501, 2755].choose(random),
            (_, false) => [75, 76, 110, 150, 151, 350, 351, 648].choose(random),
        };
        // The days around every bound of a table, too.
        let near = AGES.choose(random).expect("a bound") + random.random_range(-1..=1);
        let drawn = if random.random_bool(0.5) { near } else { random.random_range(1..5478) };
        let add_ons = (0..ADD_ONS.len()).filter(|at| (is_car || ADD_ONS[*at].2) && random.random_bool(0.4)).collect();
        let passengers: &[i64] =
            if is_car { &[0, 10_000, 50_000, 100_000, 200_000] } else { &[0, 10_000, 50_000, 100_000] };
        Vehicle {
            insurer,
            is_car,
            is_new,
            office,
            zone_a,
            fuel,
            size: *size.expect("a size"),
            seats: if is_car { *[4, 5, 7].choose(random).expect("seats") } else { 2 },
            price: random.random_range(if is_car { 400_000..4_000_000 } else { 60_000..300_000 }) * 100,
            age_days: if is_new { 0 } else { drawn.min(5478) },
            plan_type: ["comprehensive", "third_party", "own_damage"][plan],
            lead_type: if is_new {
                ""
            } else {
                ["Rollover", "RolloverBreakIn", "RenewalBreakIn"].choose(random).expect("one")
            },
            ncb: if is_new { 0 } else { *[0, 20, 25, 35, 45, 50].choose(random).expect("a bonus") },
            idv_percent: *[0, 90, 95, 100, 103, 110].choose(random).expect("a percentage"),
            deductible: *[0, 2_500, 5_000, 7_500, 15_000].choose(random).expect("a deductible"),
            passenger_cover: *passengers.choose(random).expect("a cover"),
            add_ons,
        }
    }

    /// Every two of its traits, and what chooses a row of the tariff.
    fn combinations(&self) -> Vec<Combination> {
        let number_of = |text: &str| text.bytes().fold(0, |sum, byte| (sum * 31 + i64::from(byte)) % 1_000_003);
        let kind = (0, i64::from(self.is_car));
        let age = AGES.iter().filter(|bound| self.age_days > **bound).count();
        let traits = [
            i64::try_from(age).expect("a few"),
            i64::from(self.zone_a),
            i64::try_from(self.class()).expect("a few"),
            number_of(self.fuel),
            number_of(self.lead_type),
            self.deductible,
            number_of(self.plan_type),
        ];
        let add_ons = (0..ADD_ONS.len()).map(|at| i64::from(self.add_ons.contains(&at)));
        let traits: Combination = traits.into_iter().chain(add_ons).enumerate().map(|(at, v)| (at + 1, v)).collect();
        let pairs = traits
            .iter()
            .enumerate()
            .flat_map(|(at, one)| traits[at + 1..].iter().map(move |other| vec![kind, *one, *other]));
        let [age, zone, class, fuel] = [traits[0], traits[1], traits[2], traits[3]];
        let rows = [vec![kind, age, zone, class], vec![kind, zone, class, fuel]];
        pairs.chain(rows).collect()
    }

    /// Class of the vehicle's size, as own damage is rated.
    fn class(&self) -> usize {
        let classes = match (self.is_car, self.fuel == "electric") {
            (true, false) => [(1_000, 0), (1_500, 1), (ANY, 2)],
            (true, true) => [(30, 0), (65, 1), (ANY, 2)],
            (false, false) => [(150, 0), (350, 1), (ANY, 2)],
            (false, true) => [(7, 0), (16, 1), (ANY, 2)],
        };
        up_to(self.size, &classes).expect("a class")
    }

    fn usual_value(&self) -> i64 {
        let wear = [
            (182, 5),
            (365, 15),
            (730, 20),
            (1095, 30),
            (1461, 40),
            (1826, 50),
            (2191, 55),
            (2556, 60),
            (2922, 65),
            (3652, 70),
        ];
        let wear = up_to(self.age_days, &wear).or(up_to(self.age_days, &[(5478, 80), (ANY, 90)])).expect("some wear");
        half_up(self.price - part(self.price, wear * 1_000), 100) * 100
    }

    /// What is asked for, in whole rupees within 90 and 110 %; 0 is the usual one.
    fn value_asked(&self) -> i64 {
        let usual = self.usual_value();
        match self.idv_percent {
            0 | 100 => 0,
            90 => (usual * 90 / 100 + 99) / 100 * 100,
            percent => usual * percent / 100 / 100 * 100,
        }
    }

    fn own_damage_rate(&self) -> i64 {
        let age = up_to(self.age_days, &[(1_826, 0), (if self.is_car { 3_652 } else { 2_556 }, 1), (ANY, 2)]);
        let rates: [[i64; 3]; 3] = match (self.is_car, self.zone_a) {
            (true, true) => [[3_127, 3_283, 3_440], [3_283, 3_447, 3_612], [3_362, 3_529, 3_698]],
            (true, false) => [[3_039, 3_191, 3_343], [3_191, 3_351, 3_510], [3_267, 3_430, 3_594]],
            (false, true) => [[1_708, 1_793, 1_879], [1_793, 1_883, 1_973], [1_836, 1_928, 2_020]],
            (false, false) => [[1_676, 1_760, 1_844], [1_760, 1_848, 1_936], [1_802, 1_892, 1_982]],
        };
        rates[age.expect("an age")][self.class()]
    }

    /// Three years for a new car, five for a new bike.
    fn third_party(&self) -> i64 {
        let rows: [(i64, [i64; 2]); 4] = match (self.is_car, self.fuel == "electric") {
            (true, false) => [(1_000, [2_094, 6_521]), (1_500, [3_416, 10_640]), (ANY, [7_897, 24_596]), (ANY, [0, 0])],
            (true, true) => [(30, [1_780, 5_543]), (65, [2_904, 9_044]), (ANY, [6_712, 20_907]), (ANY, [0, 0])],
            (false, false) => [(75, [538, 2_901]), (150, [714, 3_851]), (350, [1_366, 7_365]), (ANY, [2_804, 15_117])],
            (false, true) => [(3, [457, 2_466]), (7, [607, 3_273]), (16, [1_161, 6_260]), (ANY, [2_383, 12_849])],
        };
        let full = up_to(self.size, &rows).expect("a class")[usize::from(self.is_new)] * 100;
        if self.fuel == "hybrid" { full - part(full, 7_500) } else { full }
    }

    fn discount_rate(&self) -> i64 {
        let (_, cars, bikes) = INSURERS[self.insurer];
        let percent = if self.is_car {
            up_to(self.age_days, &[(1_095, cars[0]), (1_826, cars[1]), (3_652, cars[2]), (ANY, cars[3])])
        } else {
            up_to(self.age_days, &[(1_826, bikes[0]), (ANY, bikes[1])])
        };
        percent.expect("a discount") * 1_000
    }

    /// Rate in thousandths of a percent of the insured value, and rupees; nothing when it is not sold at this age.
    fn add_on_price(&self, key: &str) -> Option<(i64, i64)> {
        let of_value = |rows: &[(i64, i64)]| up_to(self.age_days, rows).map(|rate| (rate, 0));
        let flat = |till: i64, rupees: i64| (self.age_days <= till).then_some((0, rupees));
        match (key, self.is_car) {
            ("zeroDepreciationCover", true) => {
                of_value(&[(365, 420), (730, 560), (1_095, 700), (1_461, 910), (1_826, 1_160)])
            }
            ("invoiceCover", true) => of_value(&[(365, 80), (730, 300), (1_095, 420), (1_461, 590), (1_826, 670)]),
            ("engineCover", true) => of_value(&[(365, 90), (730, 110), (1_095, 140), (1_461, 160), (1_826, 200)]),
            ("consumablesCover", true) => of_value(&[(365, 100), (730, 120), (1_095, 140), (1_461, 170), (1_826, 200)]),
            ("tyreSecure", true) => of_value(&[(1_826, 120)]),
            ("ncbProtectionCover", true) => of_value(&[(1_826, 110)]),
            ("keyReplacementCover", true) => flat(3_652, 299),
            ("lossOfPersonalBelonging", true) => flat(3_652, 349),
            ("roadsideAssistanceCover", true) => flat(5_478, 199),
            ("paidDriverCover", true) => flat(ANY, 50),
            ("zeroDepreciationCover", false) => of_value(&[(730, 600), (1_826, 1_050)]),
            ("invoiceCover", false) => of_value(&[(1_095, 350)]),
            ("engineCover", false) => of_value(&[(1_826, 250)]),
            ("consumablesCover", false) => of_value(&[(1_826, 180)]),
            ("roadsideAssistanceCover", false) => flat(5_478, 79),
            ("ownerDriverCover", is_car) => flat(ANY, if self.is_new { if is_car { 850 } else { 1_350 } } else { 295 }),
            _ => None,
        }
    }

    /// Lines of the premium in their order, without those of nothing; the last is the total.
    fn lines(&self) -> Vec<i64> {
        let asked = self.value_asked();
        let value = if asked > 0 { asked } else { self.usual_value() };
        let own_damage = if self.plan_type == "third_party" { 0 } else { part(value, self.own_damage_rate()) };
        let discount = part(own_damage, self.discount_rate());
        let (rate, cap) = match (self.deductible, self.is_car) {
            (2_500, true) => (20, 750),
            (5_000, true) => (25, 1_500),
            (7_500, true) => (30, 2_000),
            (15_000, true) => (35, 2_500),
            (2_500, false) => (10, 150),
            (5_000, false) => (15, 250),
            (7_500, false) => (20, 350),
            (15_000, false) => (25, 500),
            _ => (0, 0),
        };
        let deducted = part(own_damage - discount, rate * 1_000).min(cap * 100);
        let bonus = part(own_damage - discount - deducted, self.ncb * 1_000);
        let third_party = if self.plan_type == "own_damage" { 0 } else { self.third_party() };
        let belongs = |key: &str| match key {
            "ownerDriverCover" => true,
            "paidDriverCover" => self.plan_type != "own_damage",
            _ => self.plan_type != "third_party",
        };
        let covers = self.add_ons.iter().map(|at| ADD_ONS[*at].0).filter(|key| belongs(key));
        let covers: Vec<i64> = covers
            .filter_map(|key| self.add_on_price(key))
            .map(|(rate, rupees)| part(value, rate) + rupees * 100)
            .collect();
        let each = match (self.passenger_cover, self.is_car) {
            (0, _) => 0,
            (cover, true) => cover / 2_000,
            (cover, false) => cover * 7 / 10_000,
        };
        let passengers = each * 100 * (self.seats - 1);
        let net = own_damage - discount - deducted - bonus + third_party + covers.iter().sum::<i64>() + passengers;
        let tax = part(net, 18_000);
        let total = half_up(net + tax, 100) * 100;
        let first = [own_damage, -discount, -deducted, -bonus, third_party].into_iter().filter(|line| *line != 0);
        let last = [passengers, tax, total - net - tax].into_iter().filter(|line| *line != 0);
        first.chain(covers).chain(last).chain([total]).collect()
    }

    fn request(&self) -> Value {
        let kind = if self.is_car { "fw" } else { "tw" };
        let is_electric = self.fuel == "electric";
        let flags: serde_json::Map<String, Value> = ADD_ONS
            .iter()
            .enumerate()
            .map(|(at, (_, flag, _))| ((*flag).to_owned(), i64::from(self.add_ons.contains(&at)).into()))
            .collect();
        json!({"insurerId": 1, "vehicleType": kind, "vehicleCategory": if self.is_car { 1 } else { 2 }, "planType": self.plan_type,
            "withThirdParty": false, "leadForm": "renew", "leadType": self.lead_type, "breakIn": false, "isNew": self.is_new,
            "ageDays": self.age_days, "registration": {"rto": self.office},
            "vehicle": {"cc": if is_electric { 0 } else { self.size }, "kw": if is_electric { self.size } else { 0 },
                "fuel": self.fuel, "seats": self.seats, "listedPrice": self.price},
            "previousPolicy": {}, "ncb": self.ncb, "idv": self.value_asked(), "voluntaryDeductible": self.deductible,
            "passengerCover": self.passenger_cover, "covers": flags, "previousCovers": {}})
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_calculator_agrees_on_random_vehicles() {
    let files = all_definitions();
    let server = TestServer::start_with(files, |settings| {
        settings.sandbox.delay_percent = 0;
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
    })
    .await;
    let mut random = StdRng::seed_from_u64(1);
    let vehicles = vehicles(&mut random);
    let browser = server.visitor();
    let rate = async |vehicle: Vehicle| {
        let (insurer, ..) = INSURERS[vehicle.insurer];
        let key = format!("sandbox-{insurer}_key");
        let path = format!("/sandbox/partners/{insurer}/v1/quotes");
        let answer = browser.send("POST", &path, &[("x-api-key", &key)], Some(vehicle.request().to_string())).await;
        assert_eq!(answer.status, 200, "{vehicle:?}: {}", answer.text());
        let answer = answer.json();
        let plan = answer["plans"].as_array().into_iter().flatten().find(|plan| plan["code"] == "basic").cloned();
        let lines = plan.as_ref().and_then(|plan| plan["breakup"].as_array()).cloned().unwrap_or_default();
        let theirs: Vec<i64> = lines.iter().filter_map(|line| line["amount"].as_i64()).collect();
        assert_eq!(vehicle.lines(), theirs, "{vehicle:?}\n{lines:?}");
    };
    futures::stream::iter(vehicles).map(rate).buffer_unordered(8).collect::<Vec<()>>().await;
    server.stop().await;
}

/// Insurer, what is asked, and the lines as the tariff gives them by hand, in paise without GST and rounding; the
/// total.
#[tokio::test(flavor = "multi_thread")]
async fn commercial_vehicles_are_rated_as_worked_out_by_hand() {
    let server = TestServer::start_with(all_definitions(), |settings| {
        settings.sandbox.delay_percent = 0;
    })
    .await;
    let ask = |insurer: &str, change: Value| {
        let mut asked = json!({"insurerId": 1, "vehicleType": "cfw", "vehicleCategory": 8, "planType": "comprehensive",
            "withThirdParty": false, "leadForm": "renew", "leadType": "", "breakIn": false, "isNew": false, "ageDays": 800,
            "registration": {"rto": "GJ-06"},
            "vehicle": {"cc": 5_660, "kw": 0, "fuel": "diesel", "listedPrice": 320_000_000, "class": "gcv4",
                "carrier": "public", "grossWeight": 18_500, "passengers": 0},
            "use": {"hazardous": false, "fitnessApplied": false, "claimCount": 0}, "previousPolicy": {}, "ncb": 25, "idv": 0,
            "covers": {"isImt23": 1, "isZeroDep": 0, "isConsumablesCover": 0, "isInvoiceCover": 0, "isRsaCover": 0,
                "isOwnerDriverCover": 1, "towing": 0},
            "previousCovers": {"isPrevYearZeroDep": 0},
            "crew": {"drivers": 1, "cleaners": 1, "loaders": 0, "withoutFare": 0, "insured": 0, "lakh": 0},
            "extras": {"abroad": false, "trailers": 0, "trailerValue": 0, "agricultural": false, "electrical": 0,
                "nonElectrical": 0, "gasKit": 0, "lessProperty": false, "antiTheft": false}});
        merge(&mut asked, &change);
        (insurer.to_owned(), asked)
    };
    let car = |price: i64, more: Value| {
        let mut vehicle = json!({"listedPrice": price, "grossWeight": 0});
        merge(&mut vehicle, &more);
        vehicle
    };
    let none = json!({"isImt23": 0, "isOwnerDriverCover": 0});
    let cases = [
        (ask("shriram", json!({})), 4_991_500),
        // own damage stops at 12,000 kg without the charge for weight, and 7,501 kg is another class of third party
        (
            ask(
                "shriram",
                json!({"planType": "third_party", "covers": none, "crew": {"drivers": 0, "cleaners": 0},
            "vehicle": {"grossWeight": 7_500}}),
            ),
            1_685_100,
        ),
        (
            ask(
                "shriram",
                json!({"planType": "third_party", "covers": none, "crew": {"drivers": 0, "cleaners": 0},
            "vehicle": {"grossWeight": 7_501}}),
            ),
            2_854_500,
        ),
        (
            ask(
                "tata-aig",
                json!({"registration": {"rto": "MH-12"}, "ageDays": 400, "ncb": 20,
            "vehicle": car(78_000_000, json!({"cc": 1_196, "fuel": "cng", "grossWeight": 2_500})),
            "covers": {"isImt23": 0, "isZeroDep": 1, "isConsumablesCover": 1, "isRsaCover": 1, "isOwnerDriverCover": 0},
            "previousCovers": {"isPrevYearZeroDep": 1}, "crew": {"cleaners": 0, "withoutFare": 1}}),
            ),
            2_659_400,
        ),
        (
            ask(
                "digit",
                json!({"registration": {"rto": "KA-01"}, "ageDays": 1_000, "ncb": 0, "use": {"claimCount": 1},
            "vehicle": car(73_000_000, json!({"class": "taxi", "cc": 1_197, "fuel": "cng", "passengers": 4})),
            "covers": {"isImt23": 0, "isRsaCover": 1}, "crew": {"drivers": 0, "cleaners": 0}}),
            ),
            2_351_900,
        ),
        (
            ask(
                "bajaj-allianz",
                json!({"registration": {"rto": "TN-09"}, "ageDays": 2_100, "ncb": 35,
            "vehicle": car(26_500_000, json!({"class": "pcv3", "cc": 236, "fuel": "cng", "passengers": 3})),
            "crew": {"drivers": 0, "cleaners": 0}}),
            ),
            812_900,
        ),
        (
            ask(
                "sbi",
                json!({"registration": {"rto": "UP-32"}, "ageDays": 1_500, "ncb": 45,
            "vehicle": car(245_000_000, json!({"class": "school", "cc": 3_298, "passengers": 40})),
            "covers": {"isOwnerDriverCover": 0}, "extras": {"antiTheft": true}}),
            ),
            5_655_300,
        ),
        (
            ask(
                "cholamandalam",
                json!({"registration": {"rto": "MH-43"}, "ageDays": 2_000, "ncb": 0, "breakIn": true,
            "use": {"hazardous": true, "claimCount": 1},
            "vehicle": car(410_000_000, json!({"cc": 6_692, "grossWeight": 28_000})),
            "covers": {"isOwnerDriverCover": 0, "towing": 20_000},
            "crew": {"drivers": 2, "cleaners": 1, "insured": 3, "lakh": 2}, "extras": {"abroad": true}}),
            ),
            7_196_800,
        ),
    ];
    let browser = server.visitor();
    for ((insurer, asked), total) in cases {
        let (key, path) =
            (format!("sandbox-{insurer}_key"), format!("/sandbox/partners/{insurer}/v1/commercial/quotes"));
        let answer = browser.send("POST", &path, &[("x-api-key", &key)], Some(asked.to_string())).await.ok(200);
        assert_eq!(answer["plans"][0]["premium"]["total"], json!(total), "{insurer} {:#}", answer["plans"][0]);
    }
    server.stop().await;
}

/// What is said over what stands there, object by object.
fn merge(base: &mut Value, change: &Value) {
    match (base, change) {
        (Value::Object(base), Value::Object(change)) => {
            for (key, value) in change {
                merge(base.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (base, change) => *base = change.clone(),
    }
}
