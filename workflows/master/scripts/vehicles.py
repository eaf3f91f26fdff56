#!/usr/bin/env python3
"""Writes the vehicle master data (R3-38, R3-39) from the lists below.

Makes, models, variants, engine sizes and fuels are public facts; prices are ex-showroom SAMPLES in rupees, rounded,
not anybody's price list. Electric variants have no cc: `kw` is the motor's power, rounded up to a whole kilowatt
(so that it falls into the right class of the third-party premium). Order of the lists = popularity.

    python3 workflows/master/scripts/vehicles.py
"""
import csv
import pathlib
import re

OUT = pathlib.Path(__file__).resolve().parent.parent

# make
#   model | body | seats
#     variant, fuel, cc or kW, price
CARS = """
Maruti Suzuki
  Swift | hatchback | 5: LXi, petrol, 1197, 649000; VXi, petrol, 1197, 729000; ZXi, petrol, 1197, 829000; ZXi Plus AMT, petrol, 1197, 949000; VXi CNG, cng, 1197, 819000
  WagonR | hatchback | 5: LXi 1.0, petrol, 998, 564000; VXi 1.0, petrol, 998, 609000; ZXi 1.2, petrol, 1197, 638000; LXi CNG, cng, 998, 654000
  Baleno | hatchback | 5: Sigma, petrol, 1197, 670000; Delta, petrol, 1197, 754000; Zeta, petrol, 1197, 847000; Alpha AMT, petrol, 1197, 992000; Delta CNG, cng, 1197, 844000
  Dzire | sedan | 5: LXi, petrol, 1197, 679000; VXi, petrol, 1197, 779000; ZXi, petrol, 1197, 889000; VXi CNG, cng, 1197, 874000
  Brezza | suv | 5: LXi, petrol, 1462, 869000; VXi, petrol, 1462, 975000; ZXi, petrol, 1462, 1114000; ZXi Plus AT, petrol, 1462, 1398000; VXi CNG, cng, 1462, 1064000
  Alto K10 | hatchback | 5: Std, petrol, 998, 409000; LXi, petrol, 998, 483000; VXi Plus, petrol, 998, 535000; LXi CNG, cng, 998, 574000
  Ertiga | muv | 7: LXi, petrol, 1462, 884000; VXi, petrol, 1462, 993000; ZXi, petrol, 1462, 1103000; VXi CNG, cng, 1462, 1088000
  Grand Vitara | suv | 5: Sigma, petrol, 1462, 1119000; Delta, petrol, 1462, 1230000; Zeta Plus Hybrid, hybrid, 1490, 1843000; Alpha Plus Hybrid, hybrid, 1490, 1993000
  Fronx | suv | 5: Sigma, petrol, 1197, 752000; Delta Plus, petrol, 1197, 878000; Alpha Turbo, petrol, 998, 1156000
  Celerio | hatchback | 5: LXi, petrol, 998, 537000; VXi, petrol, 998, 583000; VXi CNG, cng, 998, 674000
Hyundai
  Creta | suv | 5: E 1.5, petrol, 1497, 1111000; S 1.5, petrol, 1497, 1343000; SX 1.5, petrol, 1497, 1541000; SX Turbo DCT, petrol, 1482, 2011000; S 1.5 Diesel, diesel, 1493, 1500000
  Venue | suv | 5: E, petrol, 1197, 794000; S, petrol, 1197, 911000; SX Turbo, petrol, 998, 1123000; S Plus Diesel, diesel, 1493, 1080000
  i20 | hatchback | 5: Era, petrol, 1197, 704000; Magna, petrol, 1197, 779000; Sportz, petrol, 1197, 842000; Asta, petrol, 1197, 938000
  Grand i10 Nios | hatchback | 5: Era, petrol, 1197, 598000; Magna, petrol, 1197, 685000; Sportz, petrol, 1197, 730000; Magna CNG, cng, 1197, 784000
  Verna | sedan | 5: EX 1.5, petrol, 1497, 1107000; S 1.5, petrol, 1497, 1212000; SX Turbo, petrol, 1482, 1497000
  Exter | suv | 5: EX, petrol, 1197, 613000; S, petrol, 1197, 756000; SX, petrol, 1197, 836000; S CNG, cng, 1197, 850000
  Creta Electric | suv | 5: Executive 42 kWh, electric, 99, 1799000; Excellence 51 kWh, electric, 126, 2350000
Tata
  Nexon | suv | 5: Smart, petrol, 1199, 799000; Pure, petrol, 1199, 970000; Creative, petrol, 1199, 1110000; Fearless DCA, petrol, 1199, 1339000; Creative Diesel, diesel, 1497, 1240000
  Punch | suv | 5: Pure, petrol, 1199, 613000; Adventure, petrol, 1199, 699000; Accomplished, petrol, 1199, 829000; Pure CNG, cng, 1199, 722000
  Tiago | hatchback | 5: XE, petrol, 1199, 499000; XT, petrol, 1199, 629000; XZ Plus, petrol, 1199, 729000; XT CNG, cng, 1199, 734000
  Altroz | hatchback | 5: XE, petrol, 1199, 649000; XT, petrol, 1199, 799000; XZ, petrol, 1199, 899000; XZ Diesel, diesel, 1497, 1055000
  Harrier | suv | 5: Smart, diesel, 1956, 1499000; Pure, diesel, 1956, 1699000; Fearless AT, diesel, 1956, 2434000
  Safari | suv | 7: Smart, diesel, 1956, 1549000; Adventure, diesel, 1956, 2000000; Accomplished AT, diesel, 1956, 2599000
  Nexon EV | suv | 5: Creative 30 kWh, electric, 95, 1249000; Fearless 45 kWh, electric, 106, 1499000
  Tiago EV | hatchback | 5: XE 19 kWh, electric, 45, 799000; XT 24 kWh, electric, 55, 899000
Mahindra
  Scorpio N | suv | 7: Z2, petrol, 1997, 1399000; Z4, petrol, 1997, 1564000; Z8 Diesel, diesel, 2184, 1896000; Z8L Diesel AT, diesel, 2184, 2273000
  XUV700 | suv | 7: MX, petrol, 1999, 1399000; AX5, petrol, 1999, 1899000; AX7 Diesel, diesel, 2184, 2099000; AX7L Diesel AT, diesel, 2184, 2449000
  Thar | suv | 4: AX Opt Diesel, diesel, 1497, 1150000; LX Petrol, petrol, 1997, 1499000; LX Diesel 4WD, diesel, 2184, 1615000
  XUV 3XO | suv | 5: MX1, petrol, 1197, 779000; MX3, petrol, 1197, 954000; AX5, petrol, 1197, 1099000; MX3 Diesel, diesel, 1497, 1090000
  Bolero | suv | 7: B4, diesel, 1493, 979000; B6, diesel, 1493, 1000000; B6 Opt, diesel, 1493, 1091000
  XUV400 | suv | 5: EC Pro 34 kWh, electric, 110, 1549000; EL Pro 39 kWh, electric, 110, 1749000
Honda
  City | sedan | 5: SV, petrol, 1498, 1228000; V, petrol, 1498, 1300000; VX, petrol, 1498, 1412000; ZX CVT, petrol, 1498, 1655000; ZX e HEV, hybrid, 1498, 1989000
  Amaze | sedan | 5: V, petrol, 1199, 809000; VX, petrol, 1199, 919000; ZX CVT, petrol, 1199, 1119000
  Elevate | suv | 5: SV, petrol, 1498, 1191000; V, petrol, 1498, 1239000; VX, petrol, 1498, 1391000; ZX CVT, petrol, 1498, 1659000
Toyota
  Innova Crysta | muv | 7: GX, diesel, 2393, 1999000; VX, diesel, 2393, 2514000; ZX, diesel, 2393, 2655000
  Innova Hycross | muv | 7: GX, petrol, 1987, 1994000; VX Hybrid, hybrid, 1987, 2639000; ZX Hybrid, hybrid, 1987, 3115000
  Urban Cruiser Hyryder | suv | 5: E, petrol, 1462, 1134000; G, petrol, 1462, 1449000; V Hybrid, hybrid, 1490, 1999000
  Glanza | hatchback | 5: E, petrol, 1197, 686000; S, petrol, 1197, 775000; V AMT, petrol, 1197, 999000
  Fortuner | suv | 7: 2.7 Petrol, petrol, 2694, 3343000; 2.8 Diesel, diesel, 2755, 3593000; 2.8 Diesel 4x4 AT, diesel, 2755, 4253000
Kia
  Seltos | suv | 5: HTE, petrol, 1497, 1113000; HTK, petrol, 1497, 1275000; HTX Diesel, diesel, 1493, 1696000; GTX Plus Turbo, petrol, 1482, 1999000
  Sonet | suv | 5: HTE, petrol, 1197, 799000; HTK, petrol, 1197, 919000; HTX Turbo, petrol, 998, 1183000; HTK Plus Diesel, diesel, 1493, 1095000
  Carens | muv | 7: Premium, petrol, 1497, 1060000; Prestige, petrol, 1497, 1225000; Luxury Diesel, diesel, 1493, 1731000
Renault
  Kwid | hatchback | 5: RXE, petrol, 999, 469000; RXL, petrol, 999, 509000; RXT AMT, petrol, 999, 599000
  Triber | muv | 7: RXE, petrol, 999, 609000; RXL, petrol, 999, 680000; RXZ, petrol, 999, 822000
  Kiger | suv | 5: RXE, petrol, 999, 609000; RXT, petrol, 999, 850000; RXZ Turbo, petrol, 999, 1029000
Nissan
  Magnite | suv | 5: Visia, petrol, 999, 614000; Acenta, petrol, 999, 714000; Tekna Turbo, petrol, 999, 999000
Volkswagen
  Virtus | sedan | 5: Comfortline, petrol, 999, 1156000; Highline, petrol, 999, 1358000; GT DSG, petrol, 1498, 1940000
  Taigun | suv | 5: Comfortline, petrol, 999, 1170000; Highline, petrol, 999, 1383000; GT Plus DSG, petrol, 1498, 1974000
  Polo | hatchback | 5: Trendline, petrol, 999, 645000; Comfortline, petrol, 999, 759000; GT TSI, petrol, 999, 1025000
Skoda
  Slavia | sedan | 5: Classic, petrol, 999, 1069000; Signature, petrol, 999, 1399000; Prestige DSG, petrol, 1498, 1869000
  Kushaq | suv | 5: Classic, petrol, 999, 1089000; Signature, petrol, 999, 1419000; Monte Carlo DSG, petrol, 1498, 1879000
  Kylaq | suv | 5: Classic, petrol, 999, 789000; Signature, petrol, 999, 959000; Prestige AT, petrol, 999, 1440000
MG
  Hector | suv | 5: Style, petrol, 1451, 1399000; Shine Pro, petrol, 1451, 1616000; Sharp Pro Diesel, diesel, 1956, 2220000
  Astor | suv | 5: Sprint, petrol, 1498, 999000; Shine, petrol, 1498, 1211000; Savvy Pro CVT, petrol, 1498, 1755000
  Comet EV | hatchback | 4: Executive, electric, 31, 699000; Exclusive, electric, 31, 936000
  ZS EV | suv | 5: Executive, electric, 130, 1898000; Essence, electric, 130, 2544000
  Windsor EV | muv | 5: Excite, electric, 100, 1349000; Essence, electric, 100, 1549000
Ford
  EcoSport | suv | 5: Trend, petrol, 1496, 869000; Titanium, petrol, 1496, 979000; Titanium Diesel, diesel, 1498, 1059000
  Figo | hatchback | 5: Ambiente, petrol, 1194, 549000; Titanium, petrol, 1194, 655000
Mercedes-Benz
  C-Class | sedan | 5: C 200, petrol, 1496, 5940000; C 220d, diesel, 1993, 6150000
  GLA | suv | 5: 200, petrol, 1332, 5080000; 220d 4MATIC, diesel, 1950, 5575000
BMW
  3 Series | sedan | 5: 330Li, petrol, 1998, 6260000; 320Ld, diesel, 1995, 6500000
  X1 | suv | 5: sDrive18i, petrol, 1499, 5080000; sDrive18d, diesel, 1995, 5360000
"""

BIKES = """
Hero
  Splendor Plus | commuter | 2: Drum, petrol, 97, 77000; i3S, petrol, 97, 79000; XTEC, petrol, 97, 82000
  HF Deluxe | commuter | 2: Kick, petrol, 97, 60000; Self, petrol, 97, 66000; i3S, petrol, 97, 69000
  Passion Plus | commuter | 2: Drum, petrol, 97, 80000; Disc, petrol, 97, 84000
  Glamour | commuter | 2: Drum, petrol, 125, 83000; Disc, petrol, 125, 87000
  Xtreme 125R | sports | 2: IBS, petrol, 125, 96000; ABS, petrol, 125, 100000
  Xpulse 200 4V | adventure | 2: Standard, petrol, 200, 147000; Pro, petrol, 200, 155000
  Destini 125 | scooter | 2: VX, petrol, 125, 81000; ZX, petrol, 125, 90000
  Vida V1 | scooter | 2: Plus, electric, 6, 103000; Pro, electric, 6, 130000
Honda
  Activa 6G | scooter | 2: Standard, petrol, 110, 77000; Deluxe, petrol, 110, 80000; H-Smart, petrol, 110, 83000
  Activa 125 | scooter | 2: DLX, petrol, 124, 95000; H-Smart, petrol, 124, 99000
  Shine 125 | commuter | 2: Drum, petrol, 124, 84000; Disc, petrol, 124, 89000
  Shine 100 | commuter | 2: Standard, petrol, 99, 67000; Deluxe, petrol, 99, 75000
  Unicorn | commuter | 2: Standard, petrol, 163, 119000; Deluxe, petrol, 163, 125000
  SP 125 | commuter | 2: Drum, petrol, 124, 92000; Disc, petrol, 124, 100000
  Dio | scooter | 2: Standard, petrol, 110, 75000; Deluxe, petrol, 110, 85000
  CB350 | cruiser | 2: DLX, petrol, 348, 215000; DLX Pro, petrol, 348, 218000
TVS
  Jupiter | scooter | 2: Drum, petrol, 113, 77000; Drum Alloy, petrol, 113, 82000; Disc, petrol, 113, 90000
  Apache RTR 160 | sports | 2: Drum, petrol, 160, 120000; Disc, petrol, 160, 124000; 4V, petrol, 160, 125000
  Apache RTR 200 4V | sports | 2: Single ABS, petrol, 198, 147000; Dual ABS, petrol, 198, 152000
  Raider | commuter | 2: Drum, petrol, 125, 87000; Disc, petrol, 125, 95000; SmartXonnect, petrol, 125, 104000
  Ntorq 125 | scooter | 2: Disc, petrol, 125, 94000; Race XP, petrol, 125, 107000
  XL100 | moped | 2: Comfort, petrol, 100, 47000; Heavy Duty, petrol, 100, 49000
  iQube | scooter | 2: 2.2 kWh, electric, 5, 100000; 3.4 kWh, electric, 5, 130000
  Ronin | cruiser | 2: SS, petrol, 226, 135000; TD, petrol, 226, 169000
Bajaj
  Pulsar 125 | commuter | 2: Neon, petrol, 125, 85000; Carbon Fibre, petrol, 125, 93000
  Pulsar 150 | commuter | 2: Single Disc, petrol, 150, 113000; Twin Disc, petrol, 150, 121000
  Pulsar NS200 | sports | 2: Standard, petrol, 200, 158000; ABS, petrol, 200, 161000
  Pulsar N250 | sports | 2: Standard, petrol, 250, 151000; ABS, petrol, 250, 153000
  Platina 100 | commuter | 2: Drum, petrol, 102, 69000; ABS, petrol, 102, 75000
  CT 110X | commuter | 2: Standard, petrol, 115, 68000; Deluxe, petrol, 115, 71000
  Dominar 400 | sports | 2: Standard, petrol, 373, 230000; Touring, petrol, 373, 239000
  Freedom 125 | commuter | 2: Drum CNG, cng, 125, 90000; Disc CNG, cng, 125, 110000
  Chetak | scooter | 2: 2903, electric, 5, 100000; 3502, electric, 5, 122000
Royal Enfield
  Classic 350 | cruiser | 2: Heritage, petrol, 349, 195000; Signals, petrol, 349, 216000; Chrome, petrol, 349, 230000
  Bullet 350 | cruiser | 2: Military, petrol, 349, 174000; Standard, petrol, 349, 198000; Black Gold, petrol, 349, 216000
  Hunter 350 | cruiser | 2: Retro, petrol, 349, 150000; Metro, petrol, 349, 170000
  Meteor 350 | cruiser | 2: Fireball, petrol, 349, 206000; Stellar, petrol, 349, 216000; Supernova, petrol, 349, 230000
  Himalayan 450 | adventure | 2: Base, petrol, 452, 285000; Summit, petrol, 452, 298000
  Interceptor 650 | cruiser | 2: Standard, petrol, 648, 303000; Chrome, petrol, 648, 332000
Yamaha
  FZ-S Fi | sports | 2: V3, petrol, 149, 122000; V4, petrol, 149, 130000
  R15 | sports | 2: V4, petrol, 155, 184000; M, petrol, 155, 198000
  MT-15 | sports | 2: V2 Standard, petrol, 155, 169000; V2 Deluxe, petrol, 155, 174000
  Fascino 125 | scooter | 2: Drum, petrol, 125, 81000; Disc, petrol, 125, 94000
  RayZR 125 | scooter | 2: Drum, petrol, 125, 86000; Street Rally, petrol, 125, 99000
Suzuki
  Access 125 | scooter | 2: Drum, petrol, 124, 82000; Disc, petrol, 124, 87000; Ride Connect, petrol, 124, 93000
  Burgman Street | scooter | 2: Standard, petrol, 124, 96000; EX, petrol, 124, 116000
  Gixxer | sports | 2: Standard, petrol, 155, 135000; SF, petrol, 155, 146000
KTM
  Duke 200 | sports | 2: Standard, petrol, 199, 204000
  Duke 390 | sports | 2: Standard, petrol, 399, 295000
  RC 200 | sports | 2: Standard, petrol, 199, 220000
Ola
  S1 X | scooter | 2: 2 kWh, electric, 6, 75000; 3 kWh, electric, 6, 90000
  S1 Pro | scooter | 2: 3 kWh, electric, 11, 115000; 4 kWh, electric, 11, 135000
Ather
  450X | scooter | 2: 2.9 kWh, electric, 7, 147000; 3.7 kWh, electric, 7, 157000
  Rizta | scooter | 2: S, electric, 5, 110000; Z, electric, 5, 127000
"""

BODY_TYPES = [  # code, name, vehicle, offered
    ("hatchback", "Hatchback", "fw", "active"), ("sedan", "Sedan", "fw", "active"), ("suv", "SUV", "fw", "active"),
    ("muv", "MUV", "fw", "active"), ("convertible", "Convertible", "fw", "inactive"), ("pickup", "Pickup", "fw", "inactive"),
    ("commuter", "Commuter", "tw", "active"), ("scooter", "Scooter", "tw", "active"), ("sports", "Sports", "tw", "active"),
    ("cruiser", "Cruiser", "tw", "active"), ("adventure", "Adventure", "tw", "active"), ("moped", "Moped", "tw", "active"),
    ("sidecar", "Sidecar", "tw", "inactive"),
    ("open", "Open body", "cfw", "active"), ("closed", "Closed container", "cfw", "active"), ("tipper", "Tipper", "cfw", "active"),
    ("tanker", "Tanker", "cfw", "active"), ("refrigerated", "Refrigerated", "cfw", "active"), ("car_carrier", "Car carrier", "cfw", "active"),
    ("bulker", "Bulker", "cfw", "active"), ("trailer", "Trailer, articulated", "cfw", "active"), ("pickup_truck", "Pickup", "cfw", "active"),
    ("flat_bed", "Flat bed", "cfw", "active"), ("ordinary", "Ordinary bus", "cfw", "active"), ("deluxe", "Deluxe bus", "cfw", "active"),
    ("sleeper", "Sleeper bus", "cfw", "active"), ("cab", "Cab", "cfw", "active"), ("rickshaw", "Rickshaw", "cfw", "active"),
    ("tractor", "Tractor", "cfw", "active"), ("ambulance", "Ambulance", "cfw", "inactive"), ("excavator", "Excavator", "cfw", "inactive"),
]


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


# make
#   model | class | body | passengers: variant, fuel, cc or kW, gross weight in kg, price
COMMERCIAL = """
Tata
  Ace | gcv4 | pickup_truck | 0: Gold CX, petrol, 694, 1615, 510000; EV, electric, 27, 1840, 990000
  407 Gold | gcv4 | open | 0: SFC, diesel, 2956, 4650, 1190000
  LPT 1613 | gcv4 | open | 0: Cowl, diesel, 5000, 16020, 2780000
  Signa 2823.K | gcv4 | tipper | 0: Tipper, diesel, 6692, 28000, 4100000
  Prima 5530.S | gcv4 | trailer | 0: Tractor, diesel, 6700, 55000, 5200000
  Xpres-T | taxi | cab | 4: EV, electric, 41, 0, 1300000
  Winger | school | ordinary | 16: School, diesel, 2200, 0, 1720000
Mahindra
  Bolero Pik-Up | gcv4 | pickup_truck | 0: 1.7T, diesel, 2523, 2995, 960000
  Treo Zor | gcv3 | open | 0: Pickup, electric, 8, 1000, 360000
  575 DI | misc | tractor | 0: Tractor, diesel, 2730, 0, 740000
Ashok Leyland
  Dost+ | gcv4 | pickup_truck | 0: LS, diesel, 1478, 2990, 840000
  1920 | gcv4 | open | 0: Haulage, diesel, 5660, 18500, 3200000
  Viking | bus | ordinary | 54: Bus, diesel, 5660, 0, 3800000
Maruti Suzuki
  Super Carry | gcv4 | pickup_truck | 0: CNG, cng, 1196, 1600, 640000
  Dzire Tour S | taxi | cab | 4: CNG, cng, 1197, 0, 730000
Eicher
  Pro 2049 | gcv4 | open | 0: HSD, diesel, 1999, 4995, 1320000
  Pro 2110 | gcv4 | open | 0: CBC, diesel, 3800, 11990, 2450000
  Skyline 2090 | bus | ordinary | 32: Staff bus, diesel, 3298, 0, 2450000; School bus, diesel, 3298, 0, 2450000
BharatBenz
  4228R | gcv4 | open | 0: Haulage, diesel, 7200, 42000, 4850000
Bajaj
  RE | pcv3 | rickshaw | 3: CNG, cng, 236, 0, 265000; E-TEC, electric, 5, 0, 345000
Piaggio
  Ape Xtra | gcv3 | open | 0: LDX, diesel, 599, 975, 295000
Force
  Traveller 3350 | bus | ordinary | 12: Minibus, diesel, 2596, 0, 1890000
  Minidor | pcv3l | rickshaw | 7: Diesel, diesel, 499, 0, 375000
Toyota
  Innova Crysta | taxi | cab | 6: GX, diesel, 2393, 0, 2060000
TVS
  Ntorq | biketaxi | scooter | 1: Taxi, petrol, 124, 0, 98000
Mayuri
  E-rickshaw | erick | rickshaw | 4: Deluxe, electric, 1, 0, 165000
Saathi
  E-cart | ecart | open | 0: Standard, electric, 1, 700, 135000
"""

def write(name, header, rows):
    with open(OUT / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)
    keys = [row[0] for row in rows]
    assert len(keys) == len(set(keys)), f"{name}: key twice"
    print(f"{name}.csv: {len(rows)} rows")


def read(text):
    """(make, model, body, seats, [(variant, fuel, size, price)]) in the order of the list."""
    make = None
    for line in text.strip("\n").split("\n"):
        if not line.startswith(" "):
            make = line
            continue
        head, variants = line.strip().split(":", 1)
        model, body, seats = [part.strip() for part in head.split("|")]
        parsed = []
        for variant in variants.split(";"):
            name, fuel, size, price = [part.strip() for part in variant.split(",")]
            parsed.append((name, fuel, int(size), int(price)))
        yield make, model, body, int(seats), parsed


FUELS = {"petrol": "Petrol", "diesel": "Diesel", "cng": "CNG", "lpg": "LPG", "hybrid": "Hybrid", "electric": "Electric"}
BOTH_KINDS = {"honda"}  # the maker of bikes is another record: models filter by make alone; those of commercial vehicles are all their own


SCENES = {"fw": "/scenes/car-side.svg", "tw": "/scenes/scooter.svg", "cfw": "/scenes/truck.svg"}      # a drawing of the kind stands for each model


def sign_of(make_id):
    """Who makes cars and trucks has one tile."""
    return make_id.removesuffix("-trade")


def sign(make_id, make):
    """The makers' marks belong to them: a tile with initials stands for each."""
    words = make.split()
    initials = "".join(word[0] for word in words[:2]) if len(words) > 1 else make[:2]
    tile = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><title>{make}</title><rect width="64" height="64" rx="14" fill="#1d7480"/>'
            f'<text x="32" y="41" font-family="sans-serif" font-size="26" font-weight="700" text-anchor="middle" fill="#fff">{initials.upper()}</text></svg>\n')
    path = pathlib.Path(__file__).resolve().parents[3] / "web" / "public" / "makes" / f"{make_id}.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(tile, encoding="utf-8")


def vehicles(text, vehicle, models, variants):
    """Makes of one kind of vehicle; appends its models and variants."""
    makes = {}
    for make, model, body, seats, listed in (read(text) if isinstance(text, str) else text):
        make_id = slug(make)
        if vehicle == "tw" and make_id in BOTH_KINDS:
            make_id += "-bikes"
        if vehicle == "cfw":
            make_id += "-trade"
        if make_id not in makes:
            makes[make_id] = [make_id, make, vehicle, len(makes) + 1, f"/makes/{sign_of(make_id)}.svg"]
            sign(sign_of(make_id), make)
        model_id = f"{make_id}-{slug(model)}"
        fuels = " ".join(dict.fromkeys(fuel for _, fuel, _, _ in listed))
        models.append([model_id, model, make_id, make, vehicle, body, fuels, len(models) + 1, SCENES[vehicle]])
        for name, fuel, size, price in listed:
            version_id = f"{model_id}-{slug(name)}"
            electric = fuel == "electric"
            title = f"{make} {model} {name} ({FUELS[fuel]})"
            variants.append([version_id, name, model_id, make_id, make, model, title, vehicle, fuel, 0 if electric else size,
                             size if electric else 0, seats, body, f"₹{price}", len(variants) + 1, f"/makes/{sign_of(make_id)}.svg", SCENES[vehicle]])
    return list(makes.values())


def commercial(text, models, variants, details):
    """Makes of commercial vehicles; their models and variants, and what only they have: class, weight, passengers."""
    rest, more = [], {}
    for make, model, *_ , listed in read_commercial(text):
        kind, body, passengers = _
        rest.append((make, model, body, passengers + 1, [one[:3] + (one[4],) for one in listed]))
        for name, _fuel, _size, gvw, _price in listed:
            own = "school" if "School" in name else kind
            more[(make, model, name)] = (own, gvw, passengers)
    makes = vehicles(rest, "cfw", models, variants)
    for row in variants:
        if row[7] == "cfw":
            details.append([row[0], *more[(row[4], row[5], row[1])]])
    return makes


def read_commercial(text):
    make = None
    for line in text.strip("\n").split("\n"):
        if not line.startswith(" "):
            make = line
            continue
        head, listed = line.strip().split(":", 1)
        model, kind, body, passengers = [part.strip() for part in head.split("|")]
        parts = [[part.strip() for part in one.split(",")] for one in listed.split(";")]
        yield make, model, kind, body, int(passengers), [(n, f, int(size), int(gvw), int(price)) for n, f, size, gvw, price in parts]


def write_details(details):
    """The rows of workflows/motor/tables/cv_vehicles.yaml, below its head."""
    path = OUT.parent / "motor" / "tables" / "cv_vehicles.yaml"
    head = path.read_text(encoding="utf-8").split("rows:\n")[0]
    rows = "".join(f"  - [{', '.join(str(cell) for cell in row)}]\n" for row in details)
    path.write_text(head + "rows:\n" + rows, encoding="utf-8")


if __name__ == "__main__":
    models, variants = [], []
    makes = ["make_id", "make", "vehicle", "popularity", "logo_url"]
    write("car_makes", makes, vehicles(CARS, "fw", models, variants))
    write("bike_makes", makes, vehicles(BIKES, "tw", models, variants))
    details = []
    write("cv_makes", makes, commercial(COMMERCIAL, models, variants, details))
    write_details(details)
    write("models", ["model_id", "model", "make_id", "make", "vehicle", "bodyTypeCode", "fuels", "popularity", "image_url"], models)
    write("variants", ["version_id", "version", "model_id", "make_id", "make", "model", "title", "vehicle", "fuel", "cc", "kw", "seats",
                       "bodyTypeCode", "price", "popularity", "logo_url", "image_url"], variants)
    write("body_types", ["bodyTypeCode", "bodyType", "vehicle", "status"], BODY_TYPES)
