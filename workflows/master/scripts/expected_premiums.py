#!/usr/bin/env python3
"""A second, independent calculator of motor premiums, to hold the insurers' rating scripts against.

It reads no table and no definition: figures are typed in here again from the public sources (and the samples), with
exact fractions. It writes the table of README.md and quote.examples.yaml in
workflows/partners/kits/general-insurer. A difference between the two sides is a mistake in one of them.

    python3 workflows/master/scripts/expected_premiums.py
"""
import json
import pathlib
from fractions import Fraction

WORKFLOWS = pathlib.Path(__file__).resolve().parents[2]


def half_up(value):
    """Nearest integer, halves away from zero."""
    sign = -1 if value < 0 else 1
    return sign * int(abs(Fraction(value)) + Fraction(1, 2))


def percent(amount, rate):
    return half_up(Fraction(amount) * Fraction(str(rate)) / 100)


# name, everything that the calculation needs, worked out by hand from the case's facts
CASES = [
    dict(name="car, comprehensive, zone A, 1197 cc, fourth year, no-claim bonus 25 %", insurer="hdfc-ergo", insurer_id=1, vehicle="fw", kind="registered",
         variant="maruti-suzuki-swift-vxi", title="Maruti Suzuki Swift VXi (Petrol)", fuel="petrol", cc=1197, kw=0, seats=5, price=729000, rto="MH-12", zone="A",
         age_days=1100, plan_type="comprehensive", ncb=25, idv_pct=100, deductible=0, passenger=0, depreciation=40, od_rate="3.283", discount=58,
         tp=3416, term=1, covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="car, third party only", insurer="tata-aig", insurer_id=8, vehicle="fw", kind="registered",
         variant="maruti-suzuki-alto-k10-lxi", title="Maruti Suzuki Alto K10 LXi (Petrol)", fuel="petrol", cc=998, kw=0, seats=5, price=483000, rto="UP-16", zone="B",
         age_days=4300, plan_type="third_party", ncb=0, idv_pct=100, deductible=0, passenger=50000, depreciation=80, od_rate="3.267", discount=30,
         tp=2094, term=1, passenger_each=25, passenger_title="₹50 K", covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="new car, three years of third party", insurer="reliance", insurer_id=2, vehicle="fw", kind="new",
         variant="hyundai-creta-s-1-5", title="Hyundai Creta S 1.5 (Petrol)", fuel="petrol", cc=1497, kw=0, seats=5, price=1343000, rto="DL-03", zone="A",
         age_days=0, plan_type="comprehensive", ncb=0, idv_pct=100, deductible=0, passenger=0, depreciation=5, od_rate="3.283", discount=68,
         tp=10640, term=3, covers=[("zeroDepreciationCover", "Zero depreciation", "0.42", 0), ("ownerDriverCover", "Personal accident of the owner-driver", 0, 850)]),
    dict(name="bike, comprehensive, zone A, 110 cc, third year, no-claim bonus 20 %, deductible 2,500", insurer="bajaj-allianz", insurer_id=10, vehicle="tw", kind="registered",
         variant="honda-bikes-activa-6g-standard", title="Honda Activa 6G Standard (Petrol)", fuel="petrol", cc=110, kw=0, seats=2, price=77000, rto="DL-03", zone="A",
         age_days=800, plan_type="comprehensive", ncb=20, idv_pct=90, deductible=2500, passenger=100000, depreciation=30, od_rate="1.708", discount=56,
         deductible_rate=10, deductible_cap=150, deductible_title="₹2,500", tp=714, term=1, passenger_each=70, passenger_title="₹1 Lakh",
         covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="electric car, 106 kW, second year", insurer="sbi", insurer_id=15, vehicle="fw", kind="registered",
         variant="tata-nexon-ev-fearless-45-kwh", title="Tata Nexon EV Fearless 45 kWh (Electric)", fuel="electric", cc=0, kw=106, seats=5, price=1499000, rto="KA-05", zone="A",
         age_days=500, plan_type="comprehensive", ncb=20, idv_pct=105, deductible=0, passenger=0, depreciation=20, od_rate="3.440", discount=63,
         tp=6712, term=1, covers=[("roadsideAssistanceCover", "Roadside assistance", 0, 199), ("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="car with every add-on and passenger cover", insurer="tata-aig", insurer_id=8, vehicle="fw", kind="registered",
         variant="kia-seltos-htk", title="Kia Seltos HTK (Petrol)", fuel="petrol", cc=1497, kw=0, seats=5, price=1275000, rto="TS-09", zone="A",
         age_days=400, plan_type="comprehensive", ncb=20, idv_pct=100, deductible=5000, passenger=200000, depreciation=20, od_rate="3.283", discount=65,
         deductible_rate=25, deductible_cap=1500, deductible_title="₹5,000", tp=3416, term=1, passenger_each=100, passenger_title="₹2 Lakh",
         covers=[("zeroDepreciationCover", "Zero depreciation", "0.56", 0), ("consumablesCover", "Consumables cover", "0.12", 0), ("engineCover", "Engine protection", "0.11", 0),
                 ("invoiceCover", "Return to invoice", "0.30", 0), ("roadsideAssistanceCover", "Roadside assistance", 0, 199), ("tyreSecure", "Tyre secure", "0.12", 0),
                 ("keyReplacementCover", "Key replacement", 0, 299), ("lossOfPersonalBelonging", "Loss of personal belongings", 0, 349),
                 ("ncbProtectionCover", "No-claim bonus protection", "0.11", 0), ("paidDriverCover", "Paid driver cover", 0, 50),
                 ("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="hybrid car, own damage alone, zone B, deductible 15,000", insurer="cholamandalam", insurer_id=21, vehicle="fw", kind="registered",
         variant="toyota-innova-hycross-zx-hybrid", title="Toyota Innova Hycross ZX Hybrid (Hybrid)", fuel="hybrid", cc=1987, kw=0, seats=7, price=3115000, rto="TN-37", zone="B",
         age_days=700, plan_type="own_damage", ncb=20, idv_pct=110, deductible=15000, passenger=0, depreciation=20, od_rate="3.343", discount=64,
         deductible_rate=35, deductible_cap=2500, deductible_title="₹15,000", tp=0, term=1, covers=[("engineCover", "Engine protection", "0.11", 0)]),
    dict(name="hybrid car, comprehensive: 7.5 % off third party", insurer="cholamandalam", insurer_id=21, vehicle="fw", kind="registered",
         variant="toyota-innova-hycross-zx-hybrid", title="Toyota Innova Hycross ZX Hybrid (Hybrid)", fuel="hybrid", cc=1987, kw=0, seats=7, price=3115000, rto="TN-37", zone="B",
         age_days=700, plan_type="comprehensive", ncb=20, idv_pct=100, deductible=0, passenger=0, depreciation=20, od_rate="3.343", discount=64,
         tp="7304.72", term=1, covers=[]),  # 7,897.00 less 7.5 %: 592.275, rounded half up to 592.28
    dict(name="new bike, five years of third party, zone B", insurer="acko", insurer_id=26, vehicle="tw", kind="new",
         variant="royal-enfield-classic-350-signals", title="Royal Enfield Classic 350 Signals (Petrol)", fuel="petrol", cc=349, kw=0, seats=2, price=216000, rto="GJ-05", zone="B",
         age_days=0, plan_type="comprehensive", ncb=0, idv_pct=100, deductible=0, passenger=0, depreciation=5, od_rate="1.760", discount=68,
         tp=7365, term=5, covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 1350)]),
    dict(name="new car, three years of own damage too: each line of own damage and add-ons 2.7 times that of a year", insurer="reliance", insurer_id=2,
         vehicle="fw", kind="new", variant="hyundai-creta-s-1-5", title="Hyundai Creta S 1.5 (Petrol)", fuel="petrol", cc=1497, kw=0, seats=5, price=1343000, rto="DL-03", zone="A",
         age_days=0, plan_type="comprehensive", ncb=0, idv_pct=100, deductible=0, passenger=0, depreciation=5, od_rate="3.283", discount=68, tp=10640, term=3,
         years=3, times=270, covers=[("zeroDepreciationCover", "Zero depreciation", "0.42", 0), ("ownerDriverCover", "Personal accident of the owner-driver", 0, 850)]),
    dict(name="new bike, five years of own damage too: 4.2 times that of a year", insurer="bajaj-allianz", insurer_id=10, vehicle="tw", kind="new",
         variant="royal-enfield-classic-350-signals", title="Royal Enfield Classic 350 Signals (Petrol)", fuel="petrol", cc=349, kw=0, seats=2, price=216000, rto="GJ-05", zone="B",
         age_days=0, plan_type="comprehensive", ncb=0, idv_pct=100, deductible=0, passenger=0, depreciation=5, od_rate="1.760", discount=56, tp=7365, term=5,
         years=5, times=420, covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 1350)]),
    dict(name="car older than 10 years, zone A, diesel 2755 cc", insurer="iffco-tokio", insurer_id=7, vehicle="fw", kind="registered",
         variant="toyota-fortuner-2-8-diesel", title="Toyota Fortuner 2.8 Diesel (Diesel)", fuel="diesel", cc=2755, kw=0, seats=7, price=3593000, rto="TN-01", zone="A",
         age_days=4000, plan_type="comprehensive", ncb=50, idv_pct=95, deductible=0, passenger=10000, depreciation=80, od_rate="3.698", discount=42,
         tp=7897, term=1, passenger_each=5, passenger_title="₹10 K", covers=[("roadsideAssistanceCover", "Roadside assistance", 0, 199)]),
    dict(name="the first car renewed where it is insured: two points more off own damage", insurer="hdfc-ergo", insurer_id=1, vehicle="fw", kind="registered",
         variant="maruti-suzuki-swift-vxi", title="Maruti Suzuki Swift VXi (Petrol)", fuel="petrol", cc=1197, kw=0, seats=5, price=729000, rto="MH-12", zone="A",
         age_days=1100, plan_type="comprehensive", ncb=25, idv_pct=100, deductible=0, passenger=0, depreciation=40, od_rate="3.283", discount=60,
         tp=3416, term=1, renews="HE-1", covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="the first car at another insurer, with a gas kit of ₹60,000 that was added later", insurer="reliance", insurer_id=2, vehicle="fw", kind="registered",
         variant="maruti-suzuki-swift-vxi", title="Maruti Suzuki Swift VXi (Petrol)", fuel="petrol", cc=1197, kw=0, seats=5, price=729000, rto="MH-12", zone="A",
         age_days=1100, plan_type="comprehensive", ncb=25, idv_pct=100, deductible=0, passenger=0, depreciation=40, od_rate="3.283", discount=64,
         tp=3416, term=1, gas_kit=60000, covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="the first car at another insurer, with music of ₹20,000 and fittings of ₹30,000", insurer="reliance", insurer_id=2, vehicle="fw", kind="registered",
         variant="maruti-suzuki-swift-vxi", title="Maruti Suzuki Swift VXi (Petrol)", fuel="petrol", cc=1197, kw=0, seats=5, price=729000, rto="MH-12", zone="A",
         age_days=1100, plan_type="comprehensive", ncb=25, idv_pct=100, deductible=0, passenger=0, depreciation=40, od_rate="3.283", discount=64,
         tp=3416, term=1, electrical=20000, non_electrical=30000, covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
    dict(name="the first car at another insurer, with a gas kit of its maker", insurer="reliance", insurer_id=2, vehicle="fw", kind="registered",
         variant="maruti-suzuki-swift-vxi", title="Maruti Suzuki Swift VXi (Petrol)", fuel="petrol", cc=1197, kw=0, seats=5, price=729000, rto="MH-12", zone="A",
         age_days=1100, plan_type="comprehensive", ncb=25, idv_pct=100, deductible=0, passenger=0, depreciation=40, od_rate="3.283", discount=64,
         tp=3416, term=1, gas_factory=True, covers=[("ownerDriverCover", "Personal accident of the owner-driver", 0, 295)]),
]
# who offers several plans at once: the sandbox's answer is more than the plan that is worked out here
SEVERAL = {"hdfc-ergo", "tata-aig", "sbi", "acko"}
FLAGS = {"zeroDepreciationCover": "isZeroDep", "consumablesCover": "isConsumablesCover", "engineCover": "isEngineProtection", "invoiceCover": "isInvoiceCover",
         "roadsideAssistanceCover": "isRsaCover", "tyreSecure": "isTyreSecure", "keyReplacementCover": "isKeyReplacementCover",
         "lossOfPersonalBelonging": "isLossOfPersonalBelonging", "ncbProtectionCover": "isNcbProtection", "paidDriverCover": "isPaidDriverCover",
         "ownerDriverCover": "isOwnerDriverCover"}


def rupees(paise):
    """₹1,23,456.00"""
    sign, paise = ("-", -paise) if paise < 0 else ("", paise)
    whole, part = divmod(paise, 100)
    text = str(whole)
    head, tail = text[:-3], text[-3:]
    groups = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return f"{sign}₹{','.join(groups + [tail])}.{part:02d}"


def rate(case):
    """Everything in paise."""
    price = case["price"] * 100
    base = half_up(Fraction(price - percent(price, case["depreciation"]), 100)) * 100
    idv = half_up(Fraction(percent(base, case["idv_pct"]), 100)) * 100
    third_party_only = case["plan_type"] == "third_party"
    times = case.get("times", 100)       # own damage and add-ons of several years, in percent of one
    od = 0 if third_party_only else percent(percent(idv + case.get("non_electrical", 0) * 100, case["od_rate"]), times)
    electrical = percent(case.get("electrical", 0) * 100, 4)
    kit = percent(case["gas_kit"] * 100, 4) if "gas_kit" in case else percent(od, 5) if "gas_factory" in case else 0
    kit_tp = 6000 if kit else 0
    all_od = od + electrical + kit
    d1 = percent(all_od, case["discount"])
    d3 = min(percent(all_od - d1, case.get("deductible_rate", 0)), percent(case.get("deductible_cap", 0) * 100, times))
    d4 = percent(all_od - d1 - d3, case["ncb"])
    tp = int(Fraction(str(case["tp"])) * 100)
    several = lambda key, amount: amount if key == "ownerDriverCover" else percent(amount, times)
    covers = [(key, name, several(key, percent(idv, of_idv) + flat * 100)) for key, name, of_idv, flat in case["covers"]]
    passengers = percent(case.get("passenger_each", 0) * 100 * (case["seats"] - 1), times)
    extra = sum(amount for _, _, amount in covers) + passengers + kit_tp
    net = all_od - d1 - d3 - d4 + tp + extra
    gst = percent(net, 18)
    total = half_up(Fraction(net + gst, 100)) * 100
    lines = []
    if od:
        lines.append(("Own damage", od, "line", f"{case['od_rate']}% of {rupees(idv + case.get('non_electrical', 0) * 100)}, zone {case['zone']}" + (f", {case['years']} years" if "years" in case else "")))
    if electrical:
        lines.append(("Electrical accessories", electrical, "line", ""))
    if kit:
        lines.append(("Gas kit", kit, "line", ""))
    if d1:
        lines.append(("Insurer discount, with renewal" if "renews" in case else "Insurer discount", -d1, "discount", f"{case['discount']}%"))
    if d3:
        lines.append(("Voluntary deductible", -d3, "discount", case["deductible_title"]))
    if d4:
        lines.append(("No-claim bonus", -d4, "discount", f"{case['ncb']}%"))
    if tp:
        lines.append(("Third party", tp, "line", "1 year" if case["term"] == 1 else f"{case['term']} years"))
    if kit_tp:
        lines.append(("Gas kit, third party", kit_tp, "line", ""))
    lines += [(name, amount, "line", "") for _, name, amount in covers]
    if passengers:
        lines.append(("Passenger cover", passengers, "line", f"{case['passenger_title']} for each of {case['seats'] - 1}"))
    lines.append(("GST", gst, "tax", "18%"))
    if total != net + gst:
        lines.append(("Rounding", total - net - gst, "rounding", ""))
    assert sum(amount for _, amount, _, _ in lines) == total
    lines.append(("Total", total, "total", ""))
    return dict(base=base, idv=idv, od=all_od, tp=tp, extra=extra, discounts=d1 + d3 + d4, net=net, gst=gst, total=total, lines=lines, covers=covers)


def example(number, case):
    """(input, the insurer's reply, the output that must come of it)"""
    r = rate(case)
    category = 1 if case["vehicle"] == "fw" else 2
    shown_idv = 0 if case["plan_type"] == "third_party" else r["idv"]
    chosen = {key for key, *_ in case["covers"]}
    given = dict(vehicle=case["vehicle"], category=category, insurer_id=case["insurer_id"], kind=case["kind"], registration="", registered_on="", manufacturing_year=2024,
                 rto=case["rto"], make="", model="", variant=case["variant"], title=case["title"], cc=case["cc"], kw=case["kw"], fuel=case["fuel"], price=case["price"] * 100,
                 seats=case["seats"], age_days=case["age_days"], leadform="new" if case["kind"] == "new" else "renew" if "renews" in case else "used", lead_type="" if case["kind"] == "new" else "Rollover",
                 break_in=False, expired_days=0, plan_type=case["plan_type"], with_third_party=False,
                 previous=dict(insurer=str(case["insurer_id"]), policy_number=case["renews"]) if "renews" in case else {}, ncb=case["ncb"], idv=0 if case["idv_pct"] == 100 else r["idv"],
                 deductible=case["deductible"], passenger_cover=case["passenger"], **{flag: int(key in chosen) for key, flag in FLAGS.items()}, **({"own_damage_years": case["years"]} if "years" in case else {}),
                 **{key: case[key] * 100 for key in ("electrical", "non_electrical", "gas_kit") if key in case}, **({"gas_factory": True} if "gas_factory" in case else {}))
    title = "Third party" if case["plan_type"] == "third_party" else "Standard"
    wire = dict(code="basic", name=title, ribbon="", remark="", coverType=case["plan_type"], category=category, idv=shown_idv, idvBase=r["base"], years=case["term"],
                **({"ownDamageYears": case["years"]} if "years" in case else {}),
                payAsYouDrive=False, inspectionNeeded=False,
                premium=dict(ownDamage=r["od"], thirdParty=r["tp"], covers=r["extra"], discounts=r["discounts"], net=r["net"], gst=r["gst"],
                             rounding=r["total"] - r["net"] - r["gst"], total=r["total"]),
                breakup=[dict(name=n, amount=a, type=t, remark=d) for n, a, t, d in r["lines"]],
                covers=[dict(key=k, name=n, amount=a) for k, n, a in r["covers"]], notSold=[])
    out = dict(id="basic", title=title, badge="", note="", plan_type=case["plan_type"], category=category, idv=shown_idv, idv_base=r["base"], term=case["term"],
               **({"own_damage_term": case["years"]} if "years" in case else {}),
               pay_as_you_drive=False, inspection=False,
               premium=dict(own_damage=r["od"], third_party=r["tp"], add_ons=r["extra"], discounts=r["discounts"], net=r["net"], gst=r["gst"],
                            rounding=r["total"] - r["net"] - r["gst"]),
               total=r["total"], breakup=[dict(label=n, value=dict(paise=a), kind=t, detail=d) for n, a, t, d in r["lines"]],
               add_ons=[dict(key=k, title=n, value=dict(paise=a)) for k, n, a in r["covers"]], missing=[])
    quote = f"TEST-Q-{number}"
    return given, dict(quoteNumber=quote, category=category, plans=[wire]), dict(quote=quote, category=category, plans=[out])


def main():
    flow = lambda value: json.dumps(value, ensure_ascii=False)
    kit = WORKFLOWS / "partners/kits/general-insurer"
    path = kit / "quote.examples.yaml"
    out = ["# Written by workflows/master/scripts/expected_premiums.py, a second calculator."]
    # What the contract has a default for need not be said.
    said = lambda given: {k: v for k, v in given.items() if v is not False and v not in ("", {}) and not (k == "idv" and v == 0) and not (k.startswith("is") and v == 0)}
    for number, case in enumerate(CASES, 1):
        given, reply, output = example(number, case)
        anchor = "&first " if number == 1 else ""
        out += [f"- name: {flow(case['name'])}", *([] if case["insurer"] in SEVERAL and case["plan_type"] != "third_party" else [f"  partner: {case['insurer']}"]), f"  input: {anchor}{flow(said(given))}",
                f"  reply: {{status: 200, body: {flow(reply)}}}", f"  output: {flow(output)}"]
    # which vehicle is looked at first: what is asked beside the first case, and whether it is
    bike = dict(vehicle="tw", category=2, insurer_id=10, variant="royal-enfield-classic-350-signals", title="Royal Enfield Classic 350 Signals (Petrol)", cc=349, seats=2)
    for number, (name, insurer, change, looked_at) in enumerate([
        ("a car after a gap: pictures first", "reliance", dict(break_in=True, expired_days=40), True),
        ("a car without a gap: no pictures", "reliance", dict(), False),
        ("a car after a gap, third party alone: no pictures", "reliance", dict(break_in=True, expired_days=40, plan_type="third_party"), False),
        ("zero depreciation of a car for the first time is taken without pictures", "reliance", dict(isZeroDep=1), False),
        ("a bike of more than ₹1,50,000 after a gap: pictures first", "bajaj-allianz", dict(bike, price=21429000, age_days=800, break_in=True, expired_days=40), True),
        ("a bike of ₹1,50,000 after a gap: no pictures", "bajaj-allianz", dict(bike, price=21428500, age_days=800, break_in=True, expired_days=40), False),
    ], 40):
        given, reply, _ = example(number, CASES[0])
        given.update(change)
        reply["plans"][0]["inspectionNeeded"] = looked_at
        out += [f"- name: {flow(name)}", f"  partner: {insurer}", f"  input: {flow(said(given))}", f"  reply: {{status: 200, body: {flow(reply)}}}",
                f"  output: {flow(dict(plans=[dict(inspection=looked_at)]))}"]
    for name, status, body, error in [
        ("declined with a reason", 422, {"error": {"type": "declined", "code": "too_old", "message": "The car is older than 20 years"}}, {"code": "too_old", "kind": "declined"}),
        ("insured value outside 90 to 110 %", 422, {"error": {"type": "invalid", "code": "IDV_MISMATCH", "message": "The insured value may be 90 to 110 % of the base value"}}, {"code": "IDV_MISMATCH", "kind": "refused"}),
        ("rating engine down", 500, {"error": {"type": "internal", "code": "E500", "message": "Rating engine not available"}}, {"code": "insurer_failed", "kind": "failed"}),
        ("still rating", 202, {"status": "processing"}, {"code": "rating_pending", "kind": "retry"}),
    ]:
        out += [f"- name: {name}", *(["  partner: liberty"] if status == 500 else []), "  input: *first", f"  reply: {{status: {status}, body: {flow(body)}}}", f"  error: {flow(error)}"]
    path.write_text("\n".join(out) + "\n", encoding="utf-8")

    readme = kit / "README.md"
    kept = readme.read_text(encoding="utf-8").split("<!-- expected -->")[0] if readme.exists() else ""
    rows = ["<!-- expected -->", "| case | insurer | variant | office | age in days | plan type | NCB % | IDV % | deductible | passenger cover | covers | IDV | net | GST | total |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for case in CASES:
        r = rate(case)
        idv = 0 if case["plan_type"] == "third_party" else r["idv"]
        rows.append(f"| {case['name']} | {case['insurer']} | {case['variant']} | {case['rto']} | {case['age_days']}{' (new)' if case['kind'] == 'new' else ''} | {case['plan_type']} | {case['ncb']} | "
                    f"{case['idv_pct']} | {case['deductible']} | {case['passenger']} | {' '.join(FLAGS[k] for k, *_ in case['covers'])} | {idv} | {r['net']} | {r['gst']} | {r['total']} |")
    readme.write_text(kept + "\n".join(rows) + "\n", encoding="utf-8")
    for case in CASES:
        print(f"{rupees(rate(case)['total']):>14}  {case['name']}")


if __name__ == "__main__":
    main()
