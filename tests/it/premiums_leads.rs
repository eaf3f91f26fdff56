//! A second calculator for trips, pets, shops and buildings, as `premiums.rs` for vehicles: it reads no table and no definition, every
//! figure is typed in here again from the tariffs. Both price random requests, and must agree on each amount to the paisa
//! and on each reason to refuse.

use crate::leads::{put, verified_building};
use crate::premiums::{half_up, up_to};
use crate::travel::{asks, product};
use chrono::{Datelike, Days, NaiveDate};
use journey_tests::server::all_definitions;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom};
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

const SEED: u64 = 36;
/// Random requests of a line, each for all its insurers; `CASES=1000` asks more.
const OF_A_LINE: usize = 100;
/// Requests for buildings, each handed in over four steps.
const OF_BUILDINGS: usize = 12;

fn cases(usual: usize) -> usize {
    std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

type Priced = Result<Vec<i64>, &'static str>;

fn percent(amount: i64, percent: i64) -> i64 {
    half_up(amount * percent, 100)
}

/// Of a thousand, at a rate in thousandths.
fn mille(amount: i64, rate: i64) -> i64 {
    half_up(amount * rate, 1_000_000)
}

/// The lines from small to large, net, GST and the total in whole rupees.
fn closed(mut lines: Vec<i64>, gst: i64, least: i64) -> Vec<i64> {
    lines.retain(|line| *line != 0);
    let short = least - lines.iter().sum::<i64>();
    if short > 0 {
        lines.push(short);
    }
    let net: i64 = lines.iter().sum();
    let gst = percent(net, gst);
    lines.sort_unstable();
    lines.extend([net, gst, half_up(net + gst, 100) * 100]);
    lines
}

/// Asks every insurer, and compares.
async fn compare(line: &str, insurers: &[&str], random: fn(&mut StdRng) -> Value, price: fn(&Value, &str) -> Priced) {
    let server = product().await;
    let visitor = server.visitor();
    let mut seeded = StdRng::seed_from_u64(SEED);
    let (mut priced, mut refused) = (0, 0);
    let requests = cases(OF_A_LINE);
    for _ in 0..requests {
        let request = random(&mut seeded);
        for insurer in insurers {
            let mut found = asks(&visitor, line, insurer, &request).await;
            if let Ok(amounts) = &mut found {
                let lines = amounts.len() - 3;
                amounts[..lines].sort_unstable();
                let zeros = amounts[..lines].iter().filter(|amount| **amount == 0).count();
                assert_eq!(zeros, 0, "{insurer}: a line of nothing in {amounts:?} for {request}");
            }
            let expected = price(&request, insurer).map_err(str::to_owned);
            *(if expected.is_ok() { &mut priced } else { &mut refused }) += 1;
            assert_eq!(found, expected, "{insurer}: {request}");
        }
    }
    assert!(priced > requests / 2 && refused > requests / 10, "{priced} priced, {refused} refused");
    server.stop().await;
}

fn one<'a>(random: &mut StdRng, of: &'a str) -> &'a str {
    of.split(' ').choose(random).expect("one")
}

fn any<T: Copy>(random: &mut StdRng, of: &[T]) -> T {
    *of.choose(random).expect("one")
}

fn number(request: &Value, at: &str) -> i64 {
    request.pointer(at).and_then(Value::as_i64).unwrap_or_default()
}

fn says(request: &Value, at: &str) -> bool {
    request.pointer(at) == Some(&json!(true))
}

fn word<'r>(request: &'r Value, at: &str) -> &'r str {
    request.pointer(at).and_then(Value::as_str).unwrap_or_default()
}

fn lists(request: &Value, at: &str, wanted: &str) -> bool {
    request.pointer(at).and_then(Value::as_array).is_some_and(|all| all.contains(&json!(wanted)))
}

// trips

const ASIA: &str = "TH SG MY ID VN LK NP MV AE HK BT KH PH KR BD LA OM QA SA KW BH TW MO UZ KZ";
const SCHENGEN: &str = "AT BE BG HR CZ DK EE FI FR DE GR HU IS IT LV LI LT LU MT NL NO PL PT RO SK SI ES SE CH";
const WORLD: &str = "US CA";
const ELSEWHERE: &str = "GB IE JP AU NZ ZA BR KE EG RU TR CY";
const NOWHERE: &str = "AF IR IQ KP SY YE LY SO";

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

fn random_trip(random: &mut StdRng) -> Value {
    let from = day("2026-12-10") + Days::new(random.random_range(0..180));
    let product = any(random, &["single", "single", "single", "annual", "student"]);
    let lasts = any(random, &[0, 3, 4, 13, 27, 89, 90, 179, 180, 60]);
    let people = any(random, &[1, 1, 2, 3, 8]);
    let travellers: Vec<Value> = (0..people)
        .map(|n| {
            let years = any(random, &[0, 16, 25, 35, 36, 40, 41, 60, 61, 70, 71, 80, 81, 85, 86]);
            let born = from.with_year(from.year() - years).unwrap_or(from) - Days::new(random.random_range(89..92));
            json!({"memberId": n.to_string(), "dateOfBirth": born.to_string(), "knownIllness": random.random_bool(0.2)})
        })
        .collect();
    let area = any(random, &[ASIA, SCHENGEN, WORLD, ELSEWHERE, ELSEWHERE, SCHENGEN, NOWHERE]);
    let other =
        if random.random_bool(0.3) { one(random, &[ASIA, SCHENGEN].join(" ")).to_owned() } else { String::new() };
    let countries: Vec<String> =
        [one(random, area).to_owned(), other].into_iter().filter(|code| !code.is_empty()).collect();
    json!({
        "product": product, "countries": countries, "from": from.to_string(),
        "to": if product == "single" { (from + Days::new(lasts)).to_string() } else { String::new() },
        "maxTripDays": if product == "annual" { any(random, &[30, 45, 60]) } else { 0 },
        "months": if product == "student" { any(random, &[6, 12, 24]) } else { 0 },
        "travellers": travellers, "indianPassport": random.random_bool(0.9), "inIndia": random.random_bool(0.95),
        "sumUsd": any(random, &[25_000, 50_000, 50_000, 100_000, 250_000, 500_000]),
        "plan": one(random, "silver gold platinum"), "adventure": random.random_bool(0.3),
        "buyer": one(random, "individual individual company"),
    })
}

fn region(countries: &[&str]) -> &'static str {
    let of = |code: &&str| match code {
        code if ASIA.contains(*code) => "asia",
        code if SCHENGEN.contains(*code) => "schengen",
        code if WORLD.contains(*code) => "world",
        _ => "elsewhere",
    };
    let all: std::collections::BTreeSet<&'static str> = countries.iter().map(of).collect();
    match all.len() {
        _ if all.contains("world") => "world",
        1 => all.into_iter().next().expect("one"),
        _ => "elsewhere",
    }
}

fn price_trip(q: &Value, insurer: &str) -> Priced {
    let (factor, oldest, load) = match insurer {
        "tata-aig" => (100, 85, 20),
        "icici-lombard" => (108, 85, 30),
        _ => (94, 70, 25),
    };
    let from = day(word(q, "/from"));
    let travellers = q["travellers"].as_array().expect("travellers");
    let born = |one: &Value| day(one["dateOfBirth"].as_str().expect("a day"));
    let age = |one: &Value| i64::from(from.years_since(born(one)).unwrap_or_default());
    let ages: Vec<i64> = travellers.iter().map(age).collect();
    let most = *ages.iter().max().expect("one");
    let countries: Vec<&str> = q["countries"].as_array().expect("some").iter().filter_map(Value::as_str).collect();
    let (sum, product, region) = (number(q, "/sumUsd"), word(q, "/product"), region(&countries));
    let is_ill = |one: &Value| one["knownIllness"] == true;
    match () {
        () if countries.iter().any(|code| NOWHERE.contains(code)) => return Err("country_not_covered"),
        () if !says(q, "/inIndia") => return Err("already_abroad"),
        () if travellers.iter().any(|one| (from - born(one)).num_days() < 90) => return Err("too_young"),
        () if insurer == "bajaj-allianz" && !says(q, "/indianPassport") => return Err("passport_not_taken"),
        () if most > oldest => return Err("too_old"),
        () if sum == 25_000 && region != "asia" => return Err("sum_insured_too_low"),
        () if most > 70 && sum > 50_000 || most > 60 && sum > 250_000 => return Err("sum_insured_too_high"),
        () => {}
    }
    let base = match product {
        "single" => {
            let days = (day(word(q, "/to")) - from).num_days() + 1;
            if days > 180 || insurer == "icici-lombard" && most > 70 && days > 90 {
                return Err("trip_too_long");
            }
            let bands = [
                (4, 420),
                (7, 520),
                (14, 760),
                (21, 990),
                (28, 1_220),
                (35, 1_420),
                (47, 1_760),
                (60, 2_180),
                (75, 2_650),
                (90, 3_100),
                (120, 4_050),
                (150, 5_000),
                (180, 5_900),
            ];
            up_to(days, &bands).expect("a band") * 100
        }
        "annual" if most > 70 || region == "schengen" => return Err("plan_not_for_trip"),
        "annual" => {
            percent(420_000, up_to(number(q, "/maxTripDays"), &[(30, 100), (45, 118), (60, 140)]).expect("one"))
        }
        _ if ages.len() != 1 || !(16..=35).contains(&most) || region == "asia" => return Err("plan_not_for_trip"),
        _ => percent(980_000, up_to(number(q, "/months"), &[(6, 60), (12, 100), (24, 185)]).expect("one")),
    };
    if insurer == "bajaj-allianz" && travellers.iter().zip(&ages).any(|(one, age)| is_ill(one) && *age > 60) {
        return Err("pre_existing_not_taken");
    }
    let by_region = match region {
        "asia" => 62,
        "schengen" => 100,
        "world" => 172,
        _ => 108,
    };
    let by_sum = [(25_000, 80), (50_000, 100), (100_000, 122), (250_000, 158), (500_000, 205)];
    let by_plan = match word(q, "/plan") {
        "silver" => 100,
        "gold" => 125,
        _ => 160,
    };
    let mut lines = Vec::new();
    for (one, age) in travellers.iter().zip(&ages) {
        let by_age = up_to(*age, &[(40, 100), (50, 135), (60, 170), (70, 265), (80, 440), (85, 640)]).expect("an age");
        let rates = [by_region, by_age, up_to(sum, &by_sum).expect("a sum"), by_plan, factor];
        let amount = rates.into_iter().fold(base, percent);
        let illness = if is_ill(one) { percent(amount, load) } else { 0 };
        let sport = if says(q, "/adventure") { percent(amount + illness, 15) } else { 0 };
        lines.extend([amount, illness, sport]);
    }
    let sum: i64 = lines.iter().sum();
    lines.push(-percent(sum, up_to(ages.len() as i64, &[(1, 0), (2, 5), (8, 10)]).expect("a family")));
    Ok(closed(lines, if word(q, "/buyer") == "company" { 18 } else { 0 }, 0))
}

#[tokio::test(flavor = "multi_thread")]
async fn trips_are_priced_alike() {
    compare("travel", &["tata-aig", "icici-lombard", "bajaj-allianz"], random_trip, price_trip).await;
}

// pets

const SMALL: &str = "pug shih_tzu pomeranian chihuahua dachshund maltese yorkshire_terrier";
const MEDIUM: &str = "indie_dog beagle cocker_spaniel indian_spitz french_bulldog whippet border_collie";
const LARGE: &str = "labrador golden_retriever german_shepherd husky boxer dalmatian doberman rajapalayam mudhol_hound";
const GIANT: &str = "great_dane saint_bernard";
const CATS: &str = "indie_cat persian siamese maine_coon bengal";
const RESTRICTED: [&str; 3] = [
    "pitbull_terrier american_staffordshire",
    "american_bulldog dogo_argentino rottweiler wolf_dog",
    "tosa_inu fila_brasileiro boerboel kangal central_asian_shepherd caucasian_shepherd tibetan_mastiff",
];

fn random_pet(random: &mut StdRng) -> Value {
    let kinds = [SMALL, MEDIUM, LARGE, GIANT, CATS, RESTRICTED[0], RESTRICTED[1], RESTRICTED[2]];
    let kind = any(random, &kinds);
    let ages = [2, 3, 4, 5, 6, 24, 25, 48, 49, 60, 61, 72, 73, 84, 85, 96, 97, 120, 121];
    let covers: Vec<&str> =
        ["opd", "mortality", "theft", "terminal", "tpl"].into_iter().filter(|_| random.random_bool(0.5)).collect();
    json!({
        "breed": one(random, kind), "ageMonths": any(random, &ages),
        "use": one(random, "companion companion companion companion guard breeding show"),
        "vaccinated": random.random_bool(0.9), "certified": random.random_bool(0.4), "microchip": random.random_bool(0.5),
        "marketValue": if random.random_bool(0.2) { 0 } else { random.random_range(0..500_001) * 100 },
        "sumInsured": any(random, &[2_000_000, 4_000_000, 6_000_000, 10_000_000, 15_000_000]),
        "covers": covers, "liability": any(random, &[50_000_000, 100_000_000]),
        "pets": any(random, &[1, 1, 2, 5]), "renewal": random.random_bool(0.3),
    })
}

fn price_pet(q: &Value, insurer: &str) -> Priced {
    let (factor, takes_cats, least, most, of_giants, has_visits) = match insurer {
        "bajaj-allianz" => (100, false, 3, 84, 48, true),
        "future-generali" => (96, false, 6, 84, 48, true),
        "hdfc-ergo" => (112, true, 4, 96, 60, false),
        _ => (104, true, 3, 96, 48, true),
    };
    let (breed, age, sum) = (word(q, "/breed"), number(q, "/ageMonths"), number(q, "/sumInsured"));
    let is_one = |of: &str| of.split(' ').any(|one| one == breed);
    let (is_cat, is_giant) = (is_one(CATS), is_one(GIANT) || is_one(RESTRICTED[2]));
    let is_restricted = RESTRICTED.into_iter().any(is_one);
    let is_renewed = says(q, "/renewal");
    match () {
        () if is_cat && !takes_cats => return Err("species_not_taken"),
        () if !says(q, "/vaccinated") => return Err("vaccination_required"),
        () if word(q, "/use") != "companion" => return Err("use_not_taken"),
        () if is_restricted && ["hdfc-ergo", "digit"].contains(&insurer) => return Err("breed_not_taken"),
        () if !is_renewed && age < least => return Err("too_young"),
        () if age > if is_giant { 72 } else { 120 } => return Err("too_old"),
        () if !is_renewed && age > if is_giant { of_giants } else { most } => return Err("too_old"),
        () => {}
    }
    // hundredths of a percent of the sum, by age
    let rates = match () {
        () if is_cat => [220, 280, 410, 560],
        () if is_giant => [360, 480, 720, 0],
        () if is_one(SMALL) => [240, 310, 460, 620],
        () if is_one(MEDIUM) || is_one(RESTRICTED[0]) => [260, 340, 500, 680],
        () => [300, 390, 580, 790],
    };
    let rate = rates[up_to(age, &[(24, 0), (60, 1), (96, 2), (i64::MAX, 3)]).expect("an age")];
    let ours = |amount: i64| percent(amount, factor);
    let value = number(q, "/marketValue").min(sum);
    let has = |cover: &str| lists(q, "/covers", cover);
    let mut lines = vec![ours(half_up(sum * rate, 10_000))];
    let mut add = |is_covered: bool, amount: i64| lines.extend(is_covered.then(|| ours(amount)));
    add(has("opd") && has_visits, 120_000);
    add(has("mortality"), half_up(value * 18, 1_000));
    add(has("theft"), half_up(value * 9, 1_000));
    add(has("terminal"), half_up(sum * 6, 1_000));
    add(has("tpl") && !is_restricted, if number(q, "/liability") == 50_000_000 { 25_000 } else { 40_000 });
    for (applies, rate) in [(is_restricted, 25), (says(q, "/microchip"), -5), (number(q, "/pets") > 1, -5)] {
        let so_far: i64 = lines.iter().sum();
        lines.extend(applies.then(|| percent(so_far, i64::abs(rate)) * rate.signum()));
    }
    Ok(closed(lines, 18, 0))
}

#[tokio::test(flavor = "multi_thread")]
async fn pets_are_priced_alike() {
    compare("pet", &["bajaj-allianz", "future-generali", "hdfc-ergo", "digit"], random_pet, price_pet).await;
}

// shops

const EASY: &str = "stationery optical pharmacy clinic salon mobile_repair boutique";
const USUAL: &str = "kirana garments footwear electronics hardware auto_parts liquor gym";
const HARD: &str = "restaurant bakery furniture paints plastics";
const NEVER: &str = "jewellery fireworks chemicals fuel";
/// Covers beside fire and burglary, with their rates in thousandths of a mille.
const OTHERS: [(&str, i64); 8] = [
    ("money_transit", 3_000),
    ("money_safe", 2_500),
    ("money_counter", 3_500),
    ("glass", 10_000),
    ("sign", 8_000),
    ("electronics", 5_000),
    ("fidelity", 6_000),
    ("liability", 500),
];

fn random_shop(random: &mut StdRng) -> Value {
    let mut some =
        |most: i64, often: f64| if random.random_bool(often) { random.random_range(1..=most) * 100 } else { 0 };
    let mut sums = json!({
        "building": some(50_000_000, 0.5), "contents": some(1_000_000, 0.8), "stock": some(10_000_000, 0.8),
        "money_transit": some(500_000, 0.4), "money_safe": some(500_000, 0.4), "money_counter": some(50_100, 0.4),
        "glass": some(1_000_000, 0.4), "sign": some(1_000_000, 0.4), "electronics": some(1_000_000, 0.4),
        "fidelity": some(500_000, 0.4),
    });
    sums["liability"] = json!(any(random, &[0, 50_000_000, 100_000_000, 250_000_000]));
    let kinds = any(random, &[EASY, USUAL, HARD, EASY, USUAL, HARD, NEVER]);
    let persons = any(random, &[0, 0, 1, 5]);
    let protections: Vec<&str> =
        ["cctv", "guard", "extinguisher", "sprinkler"].into_iter().filter(|_| random.random_bool(0.4)).collect();
    json!({
        "shopType": one(random, kinds), "construction": one(random, "pucca pucca pucca kutcha"),
        "floor": one(random, "ground upper basement"), "buildingAge": any(random, &[0, 10, 30, 31, 100]),
        "state": any(random, &["Assam", "Delhi", "Maharashtra", "Karnataka"]), "sums": sums,
        "burglary": one(random, "none full first_loss_50 first_loss_25"), "protections": protections,
        "accident": {"persons": persons, "lakh": if persons == 0 { 0 } else { random.random_range(1..16) }},
        "claims": one(random, "0 0 1 2+"),
    })
}

fn price_shop(q: &Value, insurer: &str) -> Priced {
    let (of_fire, of_others, least, most) = match insurer {
        "icici-lombard" => (90, 95, 75_000, 1_000_000_000),
        "bajaj-allianz" => (100, 85, 50_000, 2_000_000_000),
        _ => (80, 110, 100_000, 5_000_000_000_i64),
    };
    let sum = |name: &str| number(q, &format!("/sums/{name}"));
    let (building, inside) = (sum("building"), sum("contents") + sum("stock"));
    let is_one = |of: &str| of.split(' ').any(|one| one == word(q, "/shopType"));
    let is_weak = word(q, "/construction") == "kutcha";
    match () {
        () if is_one(NEVER) => return Err("occupancy_not_taken"),
        () if building + inside > 5_000_000_000 => return Err("above_5_crore"),
        () if building + inside > most => return Err("sum_insured_too_high"),
        () if inside == 0 => return Err("contents_required"),
        () if is_weak && insurer != "new-india" => return Err("construction_not_taken"),
        () if word(q, "/claims") == "2+" && insurer == "icici-lombard" => return Err("claims_history"),
        () if sum("money_counter") > 5_000_000 => return Err("counter_limit"),
        () => {}
    }
    // storm, earthquake by zone, terrorism
    let quake = match word(q, "/state") {
        "Assam" => 250,
        "Delhi" => 150,
        "Maharashtra" => 100,
        _ => 50,
    };
    let nature = 220 + quake + 100;
    let (of_building, of_inside) = match () {
        () if is_one(EASY) => (600, 900),
        () if is_one(USUAL) => (750, 1_200),
        () => (1_000, 1_750),
    };
    let for_building = percent(mille(building, of_building + nature), of_fire);
    let mut lines = vec![for_building, percent(mille(inside, of_inside + nature), of_fire)];
    let so_far = |lines: &[i64]| lines.iter().sum::<i64>();
    let load = if is_weak { 50 } else { 0 } + if word(q, "/floor") == "basement" { 10 } else { 0 };
    lines.push(percent(so_far(&lines), load));
    lines.push(if number(q, "/buildingAge") > 30 { percent(for_building, 10) } else { 0 });
    let protected = |kind: &str, rate: i64| if lists(q, "/protections", kind) { rate } else { 0 };
    // tenths of a percent
    let off = protected("extinguisher", 25) + protected("sprinkler", 50);
    lines.push(-half_up(so_far(&lines) * off, 1_000));

    let burglary = match word(q, "/burglary") {
        "full" => mille(inside, 900),
        "first_loss_50" => mille(half_up(inside, 2), 1_400),
        "first_loss_25" => mille(half_up(inside, 4), 2_200),
        _ => 0,
    };
    let mut others = vec![percent(burglary, of_others)];
    others.push(-percent(others[0], protected("cctv", 5) + protected("guard", 5)));
    others.extend(OTHERS.map(|(name, rate)| percent(mille(sum(name), rate), of_others)));
    let insured = number(q, "/accident/persons") * number(q, "/accident/lakh") * 10_000_000;
    others.push(percent(mille(insured, 600), of_others));
    let covers = others.iter().filter(|amount| **amount > 0).count() as i64;
    let package = up_to(covers, &[(2, 0), (4, 5), (6, 10), (i64::MAX, 15)]).expect("a package");
    lines.push(-percent(so_far(&others), package));
    lines.extend(others);
    let claims = match word(q, "/claims") {
        "0" => 0,
        "1" => 15,
        _ => 25,
    };
    lines.push(percent(so_far(&lines), claims));
    Ok(closed(lines, 18, least))
}

#[tokio::test(flavor = "multi_thread")]
async fn shops_are_priced_alike() {
    compare("shop", &["icici-lombard", "bajaj-allianz", "new-india"], random_shop, price_shop).await;
}

// buildings

/// Occupancy by id with its rate in thousandths of a mille, and its class: dwellings, others than industry, industry,
/// storage, storage in the open.
const OCCUPANCIES: [(&str, i64, char); 24] = [
    ("office", 150, 'n'),
    ("shop", 350, 'n'),
    ("hotel", 400, 'n'),
    ("restaurant", 600, 'n'),
    ("school", 150, 'n'),
    ("hospital", 200, 'n'),
    ("dwelling", 100, 'd'),
    ("it_park", 150, 'n'),
    ("mall", 450, 'n'),
    ("cinema", 700, 'n'),
    ("engineering_workshop", 450, 'i'),
    ("food_processing", 800, 'i'),
    ("flour_mill", 950, 'i'),
    ("garment_unit", 750, 'i'),
    ("textile_mill", 1_600, 'i'),
    ("printing_press", 850, 'i'),
    ("plastic_goods", 1_450, 'i'),
    ("furniture_unit", 1_500, 'i'),
    ("pharma", 700, 'i'),
    ("paint_factory", 2_200, 'i'),
    ("cold_storage", 1_100, 's'),
    ("godown_nonhazardous", 700, 's'),
    ("godown_hazardous", 1_900, 's'),
    ("open_storage", 1_600, 'o'),
];
/// Pincodes with their zones of earthquakes.
const GROUNDS: [(&str, usize); 5] = [("781001", 1), ("110001", 2), ("600001", 3), ("400001", 3), ("560001", 4)];

/// Sums in whole rupees.
fn random_building(random: &mut StdRng) -> Value {
    let mut some = |most: i64| if random.random_bool(0.6) { random.random_range(0..most) } else { 0 };
    let (building, machinery) = (some(90_000_000), some(10_000_000));
    let mut stock = some(10_000_000);
    let furniture = random.random_range(1..1_000_000);
    if random.random_bool(0.15) {
        // around 50 crore
        stock = 500_000_000 + any(random, &[-1, 0, 1]) - building - machinery - furniture;
    }
    let sum = building + machinery + furniture + stock;
    let at_risk = any(random, &[0, 0, 0, sum, sum + 50_000_000, 500_000_000.max(sum), 500_000_001.max(sum)]);
    let is_claimed = random.random_bool(0.3);
    let claims: Vec<Value> =
        is_claimed.then(|| json!({"year": 2024, "amount": 1_000, "cause": "fire"})).into_iter().collect();
    json!({
        "requestSource": "fire-qm",
        "buildingDetails": {
            "buildingAge": any(random, &[0, 12, 30, 31, 150]), "wallMaterialTypeId": any(random, &[1, 2, 3, 4, 5, 6, 6, 7, 9]),
            "floorMaterialTypeId": 1, "roofMaterialTypeId": any(random, &[1, 2, 3, 4, 5, 6, 7, 8, 9]),
            "isBasement": random.random_bool(0.3), "noOfFloors": random.random_range(1..61),
        },
        "businessDetails": {
            "pincode": any(random, &GROUNDS).0, "occupancyTypeId": random.random_range(1..25),
            "ownershipType": random.random_range(1..4),
        },
        "isPreviouslyClaimed": is_claimed, "claims": claims,
        "sums": {"building": building, "machinery": machinery, "furniture": furniture, "stock": stock, "valueAtRisk": at_risk},
        "covers": {"burglary": random.random_bool(0.5), "fireFighting": random.random_bool(0.5)},
    })
}

fn price_building(q: &Value, insurer: &str) -> Priced {
    let factor = match insurer {
        "sbi" => 88,
        "tata-aig" => 96,
        _ => 100,
    };
    let (kind, rate, class) = OCCUPANCIES[number(q, "/businessDetails/occupancyTypeId") as usize - 1];
    let paise = |name: &str| 100 * number(q, &format!("/sums/{name}"));
    let sum: i64 = ["building", "machinery", "furniture", "stock"].map(paise).iter().sum();
    let (wall, roof) =
        (number(q, "/buildingDetails/wallMaterialTypeId"), number(q, "/buildingDetails/roofMaterialTypeId"));
    let is_weak = wall >= 7 || [7, 8].contains(&roof);
    match (insurer, kind) {
        _ if paise("valueAtRisk").max(sum) > 50_000_000_000 && class != 'd' => return Err("above_50_crore"),
        ("sbi", "paint_factory" | "open_storage") | ("tata-aig", "textile_mill" | "cold_storage") => {
            return Err("occupancy_not_taken");
        }
        _ if is_weak && insurer != "new-india" => return Err("construction_not_taken"),
        _ => {}
    }
    let pincode = word(q, "/businessDetails/pincode");
    let zone = GROUNDS.into_iter().find(|(known, _)| *known == pincode).expect("a zone").1;
    let quake = match class {
        'd' => 50,
        'n' => [250, 150, 100, 50][zone - 1],
        _ => [500, 250, 100, 50][zone - 1],
    };
    let storm = match class {
        'd' => 75,
        'n' => 220,
        'i' => 370,
        's' => 520,
        _ => 2_250,
    };
    let fire = percent(mille(sum, rate), factor);
    let load = [
        (is_weak, 50),
        (says(q, "/buildingDetails/isBasement"), 10),
        (number(q, "/buildingDetails/buildingAge") > 30, 10),
        (says(q, "/isPreviouslyClaimed"), 15),
    ];
    let load = load.into_iter().filter(|(applies, _)| *applies).map(|(_, percent)| percent).sum();
    let mut lines = vec![fire, mille(sum, storm), mille(sum, quake), mille(sum, 100), percent(fire, load)];
    if says(q, "/covers/fireFighting") {
        lines.push(-percent(fire, 5));
    }
    if says(q, "/covers/burglary") {
        lines.push(percent(mille(percent(paise("stock") + paise("furniture"), 25), 2_000), factor));
    }
    Ok(closed(lines, 18, 100_000))
}

/// What an insurer offers for the building, or why it does not.
fn offered(quotes: &Value, insurer: &str) -> Result<Vec<i64>, String> {
    const LINES: [&str; 8] =
        ["flexa", "stfi", "earthquake", "terrorism", "loading", "fire_protection", "burglary", "minimum"];
    let of = |list: &str| {
        let all = quotes[list].as_array().expect("a list");
        all.iter().find(|one| one["insurer"] == insurer).or_else(|| all.first().filter(|one| one["insurer"].is_null()))
    };
    let Some(plan) = of("plans") else {
        let declined = of("declined").unwrap_or_else(|| panic!("{insurer} says nothing: {quotes}"));
        return Err(declined["code"].as_str().expect("a code").to_owned());
    };
    let mut lines: Vec<i64> =
        LINES.iter().map(|line| number(plan, &format!("/{line}"))).filter(|line| *line != 0).collect();
    lines.sort_unstable();
    Ok(lines.into_iter().chain(["net", "gst", "total"].map(|name| number(plan, &format!("/{name}")))).collect())
}

/// R3-72..76, by calls as somebody sends them who compares prices.
#[tokio::test(flavor = "multi_thread")]
async fn buildings_are_priced_alike() {
    let server = crate::leads::product(all_definitions()).await;
    let visitor = server.visitor();
    let id = verified_building(&server, &visitor, "9812345680").await;
    let mut seeded = StdRng::seed_from_u64(SEED);
    let (mut priced, mut refused) = (0, 0);
    let requests = cases(OF_BUILDINGS);
    for _ in 0..requests {
        let request = random_building(&mut seeded);
        let (status, taken) = put(&visitor, &format!("/api/v1/fire/lead/{id}/details"), request.clone()).await;
        assert_eq!(status, 200, "{request}: {taken}");
        let quotes = server
            .until_worked("the prices", async || {
                let data = visitor.get(&format!("/api/v1/fire/quotes?lead_id={id}")).await.ok(200)["data"].clone();
                (data["status"] == "done").then_some(data)
            })
            .await;
        for insurer in ["sbi", "tata-aig", "new-india"] {
            let expected = price_building(&request, insurer).map_err(str::to_owned);
            *(if expected.is_ok() { &mut priced } else { &mut refused }) += 1;
            assert_eq!(offered(&quotes, insurer), expected, "{insurer}: {request}");
        }
    }
    assert!(priced > requests / 2 && refused > requests / 10, "{priced} priced, {refused} refused");
    server.stop().await;
}
