#!/usr/bin/env python3
"""Writes `rto.csv`: registration offices with city, state and rating zone, and `states.csv`, `cities.csv`.

Codes and places are public facts (state transport departments' lists of registering authorities). The city is the
place whose traffic the office serves: offices inside one of the eight zone A cities carry that city's name, so that
`zones.sandbox.yaml` of the general insurer (the only place that says what zone A is) decides the zone.
Codes without leading zero, as on number plates after normalising (`DL-3-C…`), are found under the two-digit code; `codes` are
the other ways to type one: MH12, DL3, in Delhi with the letter of the class too (DL3C, DL-3S).

    python3 workflows/master/scripts/rto.py
"""
import csv
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
ZONES = ROOT.parent / "partners" / "kits" / "general-insurer" / "zones.sandbox.yaml"

# state or territory, its letters, then code and city
OFFICES = """
Andaman and Nicobar Islands AN: 01 Port Blair; 02 Car Nicobar
Andhra Pradesh AP: 02 Anantapur; 03 Chittoor; 04 Kadapa; 05 Kakinada; 07 Guntur; 16 Vijayawada; 21 Kurnool; 26 Nellore; 27 Ongole; 30 Srikakulam; 31 Visakhapatnam; 35 Vizianagaram; 37 Eluru; 39 Vijayawada; 40 Vijayawada
Arunachal Pradesh AR: 01 Itanagar; 02 Itanagar; 03 Tawang; 04 Bomdila; 05 Seppa; 06 Ziro; 07 Daporijo; 08 Aalo; 09 Pasighat; 10 Roing; 11 Tezu; 12 Changlang; 13 Khonsa
Assam AS: 01 Guwahati; 02 Nagaon; 03 Jorhat; 04 Sivasagar; 05 Golaghat; 06 Dibrugarh; 07 North Lakhimpur; 08 Haflong; 09 Diphu; 10 Karimganj; 11 Silchar; 12 Tezpur; 13 Mangaldoi; 14 Nalbari; 15 Barpeta; 16 Kokrajhar; 17 Dhubri; 18 Goalpara; 19 Bongaigaon; 21 Morigaon; 22 Dhemaji; 23 Tinsukia; 24 Hailakandi; 25 Guwahati
Bihar BR: 01 Patna; 02 Gaya; 03 Arrah; 04 Chapra; 05 Motihari; 06 Muzaffarpur; 07 Darbhanga; 08 Munger; 09 Begusarai; 10 Bhagalpur; 11 Purnia; 19 Saharsa; 21 Bihar Sharif; 22 Bettiah; 24 Sasaram; 25 Jehanabad; 26 Aurangabad Bihar; 27 Nawada; 28 Gopalganj; 29 Siwan; 30 Sitamarhi; 31 Hajipur; 32 Madhubani; 33 Samastipur; 34 Khagaria; 37 Kishanganj; 38 Araria; 39 Katihar; 43 Madhepura; 44 Buxar; 45 Bhabua; 46 Jamui; 50 Supaul; 51 Banka; 52 Sheikhpura; 53 Lakhisarai; 55 Sheohar; 56 Arwal
Chandigarh CH: 01 Chandigarh; 02 Chandigarh; 03 Chandigarh; 04 Chandigarh
Chhattisgarh CG: 04 Raipur; 05 Dhamtari; 06 Mahasamund; 07 Durg; 08 Rajnandgaon; 09 Kabirdham; 10 Bilaspur Chhattisgarh; 11 Janjgir; 12 Korba; 13 Raigarh; 14 Jashpur; 15 Ambikapur; 16 Baikunthpur; 17 Jagdalpur; 18 Dantewada; 19 Kanker; 20 Bijapur Chhattisgarh; 21 Narayanpur; 22 Baloda Bazar; 23 Gariaband; 24 Balod; 25 Bemetara; 26 Sukma; 27 Kondagaon; 28 Mungeli; 29 Surajpur; 30 Balrampur Chhattisgarh
Dadra and Nagar Haveli and Daman and Diu DD: 01 Silvassa; 02 Diu; 03 Daman
Dadra and Nagar Haveli and Daman and Diu DN: 09 Silvassa
Delhi DL: 01 New Delhi; 02 New Delhi; 03 New Delhi; 04 New Delhi; 05 New Delhi; 06 New Delhi; 07 New Delhi; 08 New Delhi; 09 New Delhi; 10 New Delhi; 11 New Delhi; 12 New Delhi; 13 New Delhi
Goa GA: 01 Panaji; 02 Margao; 03 Mapusa; 04 Bicholim; 05 Ponda; 06 Vasco da Gama; 07 Panaji; 08 Margao; 09 Quepem; 10 Canacona; 11 Pernem; 12 Dharbandora
Gujarat GJ: 01 Ahmedabad; 02 Mehsana; 03 Rajkot; 04 Bhavnagar; 05 Surat; 06 Vadodara; 07 Nadiad; 08 Palanpur; 09 Himmatnagar; 10 Jamnagar; 11 Junagadh; 12 Bhuj; 13 Surendranagar; 14 Amreli; 15 Valsad; 16 Bharuch; 17 Godhra; 18 Gandhinagar; 19 Bardoli; 20 Dahod; 21 Navsari; 22 Rajpipla; 23 Anand; 24 Patan; 25 Porbandar; 26 Vyara; 27 Ahmedabad; 28 Surat; 29 Vadodara; 30 Ahwa; 31 Modasa; 32 Veraval; 33 Botad; 34 Chhota Udepur; 35 Lunawada; 36 Morbi; 37 Khambhalia; 38 Bavla
Haryana HR: 01 Ambala; 02 Yamunanagar; 03 Panchkula; 04 Naraingarh; 05 Karnal; 06 Panipat; 07 Kurukshetra; 08 Kaithal; 09 Guhla; 10 Sonipat; 11 Gohana; 12 Rohtak; 13 Bahadurgarh; 14 Jhajjar; 15 Meham; 16 Bhiwani; 17 Siwani; 18 Loharu; 19 Charkhi Dadri; 20 Hisar; 21 Hansi; 22 Fatehabad; 23 Tohana; 24 Sirsa; 25 Dabwali; 26 Gurugram; 27 Nuh; 28 Ferozepur Jhirka; 29 Ballabgarh; 30 Palwal; 31 Jind; 32 Narwana; 33 Safidon; 34 Mahendragarh; 35 Narnaul; 36 Rewari; 37 Ambala; 38 Faridabad; 39 Hisar; 40 Karnal; 43 Kosli; 44 Ellenabad; 45 Karnal; 46 Rohtak; 47 Rewari; 49 Kalka; 50 Hodal; 51 Faridabad; 55 Gurugram; 61 Bhiwani; 67 Panipat; 68 Panchkula; 69 Sonipat; 71 Yamunanagar; 72 Gurugram; 73 Palwal; 74 Nuh; 76 Pataudi; 79 Kharkhoda; 98 Badshahpur
Himachal Pradesh HP: 01 Shimla; 02 Shimla; 03 Shimla; 04 Dharamshala; 06 Rampur; 07 Shimla; 08 Chopal; 09 Theog; 10 Rohru; 11 Arki; 12 Nalagarh; 13 Kandaghat; 14 Solan; 15 Parwanoo; 16 Rajgarh; 17 Paonta Sahib; 18 Nahan; 19 Amb; 20 Una; 21 Barsar; 22 Hamirpur; 23 Ghumarwin; 24 Bilaspur Himachal; 25 Reckong Peo; 26 Nichar; 27 Pooh; 28 Sarkaghat; 29 Jogindernagar; 30 Karsog; 31 Sundernagar; 32 Gohar; 33 Mandi; 34 Kullu; 35 Anni; 36 Dehra; 37 Palampur; 38 Nurpur; 39 Dharamshala; 40 Kangra; 42 Kaza; 43 Keylong; 44 Chamba; 45 Pangi; 46 Bharmour; 47 Dalhousie; 48 Churah; 49 Banjar; 51 Shimla; 52 Shimla; 53 Baijnath; 54 Jawali; 55 Nadaun; 56 Jaisinghpur; 57 Salooni; 58 Manali; 62 Shimla; 63 Shimla; 64 Solan; 65 Mandi; 66 Kullu; 67 Hamirpur; 68 Dharamshala; 69 Bilaspur Himachal; 71 Nahan; 72 Una; 73 Chamba
Jammu and Kashmir JK: 01 Srinagar; 02 Jammu; 03 Anantnag; 04 Budgam; 05 Baramulla; 06 Doda; 08 Kathua; 09 Kupwara; 11 Rajouri; 12 Poonch; 13 Pulwama; 14 Udhampur; 15 Bandipora; 16 Ganderbal; 17 Kishtwar; 18 Kulgam; 19 Ramban; 20 Reasi; 21 Samba; 22 Shopian
Jharkhand JH: 01 Ranchi; 02 Hazaribagh; 03 Daltonganj; 04 Dumka; 05 Jamshedpur; 06 Chaibasa; 07 Gumla; 08 Lohardaga; 09 Bokaro; 10 Dhanbad; 11 Giridih; 12 Koderma; 13 Chatra; 14 Garhwa; 15 Deoghar; 16 Pakur; 17 Godda; 18 Sahibganj; 19 Latehar; 20 Simdega; 21 Jamtara; 22 Seraikela; 23 Khunti; 24 Ramgarh
Karnataka KA: 01 Bengaluru; 02 Bengaluru; 03 Bengaluru; 04 Bengaluru; 05 Bengaluru; 06 Tumakuru; 07 Kolar; 08 Kolar Gold Fields; 09 Mysuru; 10 Chamarajanagar; 11 Mandya; 12 Madikeri; 13 Hassan; 14 Shivamogga; 15 Sagara; 16 Chitradurga; 17 Davanagere; 18 Chikkamagaluru; 19 Mangaluru; 20 Udupi; 21 Puttur; 22 Belagavi; 23 Chikkodi; 24 Bailhongal; 25 Dharwad; 26 Gadag; 27 Haveri; 28 Vijayapura; 29 Bagalkot; 30 Karwar; 31 Sirsi; 32 Kalaburagi; 33 Yadgir; 34 Ballari; 35 Hosapete; 36 Raichur; 37 Koppal; 38 Bidar; 39 Bhalki; 40 Chikkaballapura; 41 Bengaluru; 42 Ramanagara; 43 Devanahalli; 44 Tiptur; 45 Hunsur; 46 Sakleshpur; 47 Honnavar; 48 Jamkhandi; 49 Gokak; 50 Bengaluru; 51 Bengaluru; 52 Nelamangala; 53 Bengaluru; 54 Nagamangala; 55 Mysuru; 56 Basavakalyan; 57 Bengaluru; 58 Bengaluru; 59 Bengaluru; 60 Bengaluru; 61 Bengaluru; 62 Surathkal; 63 Hubballi; 64 Madhugiri; 65 Dandeli; 66 Tarikere; 67 Chintamani; 68 Ranebennur; 69 Ramdurg; 70 Bantwal
Kerala KL: 01 Thiruvananthapuram; 02 Kollam; 03 Pathanamthitta; 04 Alappuzha; 05 Kottayam; 06 Idukki; 07 Kochi; 08 Thrissur; 09 Palakkad; 10 Malappuram; 11 Kozhikode; 12 Wayanad; 13 Kannur; 14 Kasaragod; 15 Thiruvananthapuram; 16 Attingal; 17 Muvattupuzha; 18 Vadakara; 19 Parassala; 20 Neyyattinkara; 21 Nedumangad; 22 Kazhakkoottam; 23 Karunagappally; 24 Kottarakkara; 25 Punalur; 26 Adoor; 27 Thiruvalla; 28 Mallappally; 29 Kayamkulam; 30 Chengannur; 31 Mavelikkara; 32 Cherthala; 33 Changanassery; 34 Kanjirappally; 35 Pala; 36 Vaikom; 37 Vandiperiyar; 38 Thodupuzha; 39 Thripunithura; 40 Perumbavoor; 41 Aluva; 42 North Paravur; 43 Mattancherry; 44 Kothamangalam; 45 Irinjalakuda; 46 Guruvayur; 47 Kodungallur; 48 Wadakkanchery; 49 Alathur; 50 Mannarkkad; 51 Ottapalam; 52 Pattambi; 53 Perinthalmanna; 54 Ponnani; 55 Tirur; 56 Koyilandy; 57 Koduvally; 58 Thalassery; 59 Taliparamba; 60 Kanhangad; 61 Kunnathur; 62 Ranni; 63 Angamaly; 64 Chalakudy; 65 Tirurangadi; 66 Kuttanad; 67 Uzhavoor; 68 Devikulam; 69 Udumbanchola; 70 Chittur; 71 Nilambur; 72 Mananthavady; 73 Sulthan Bathery
Ladakh LA: 01 Kargil; 02 Leh
Lakshadweep LD: 01 Kavaratti
Madhya Pradesh MP: 04 Bhopal; 05 Narmadapuram; 06 Morena; 07 Gwalior; 08 Guna; 09 Indore; 10 Khargone; 11 Dhar; 12 Khandwa; 13 Ujjain; 14 Mandsaur; 15 Sagar; 16 Chhatarpur; 17 Rewa; 18 Shahdol; 19 Satna; 20 Jabalpur; 21 Katni; 22 Seoni; 28 Chhindwara; 30 Bhind; 31 Sheopur; 32 Datia; 33 Shivpuri; 34 Damoh; 35 Panna; 36 Tikamgarh; 37 Sehore; 38 Raisen; 39 Rajgarh Madhya Pradesh; 40 Vidisha; 41 Dewas; 42 Shajapur; 43 Ratlam; 44 Neemuch; 45 Jhabua; 46 Barwani; 47 Harda; 48 Betul; 49 Narsinghpur; 50 Balaghat; 51 Mandla; 52 Dindori; 53 Sidhi; 54 Umaria; 65 Anuppur; 66 Singrauli; 67 Ashoknagar; 68 Burhanpur; 69 Alirajpur; 70 Agar
Maharashtra MH: 01 Mumbai; 02 Mumbai; 03 Mumbai; 04 Thane; 05 Kalyan; 06 Pen; 07 Sindhudurg; 08 Ratnagiri; 09 Kolhapur; 10 Sangli; 11 Satara; 12 Pune; 13 Solapur; 14 Pimpri-Chinchwad; 15 Nashik; 16 Ahilyanagar; 17 Shrirampur; 18 Dhule; 19 Jalgaon; 20 Chhatrapati Sambhajinagar; 21 Jalna; 22 Parbhani; 23 Beed; 24 Latur; 25 Dharashiv; 26 Nanded; 27 Amravati; 28 Buldhana; 29 Yavatmal; 30 Akola; 31 Nagpur; 32 Wardha; 33 Gadchiroli; 34 Chandrapur; 35 Gondia; 36 Bhandara; 37 Washim; 38 Hingoli; 39 Nandurbar; 40 Nagpur; 41 Malegaon; 42 Baramati; 43 Navi Mumbai; 44 Ambajogai; 45 Akluj; 46 Panvel; 47 Mumbai; 48 Vasai; 49 Nagpur; 50 Karad
Manipur MN: 01 Imphal; 02 Churachandpur; 03 Kangpokpi; 04 Thoubal; 05 Bishnupur; 06 Imphal; 07 Senapati
Meghalaya ML: 01 Shillong; 02 Shillong; 03 Shillong; 04 Jowai; 05 Shillong; 06 Nongstoin; 07 Tura; 08 Tura; 09 Williamnagar; 10 Nongpoh; 11 Baghmara
Mizoram MZ: 01 Aizawl; 02 Lunglei; 03 Saiha; 04 Champhai; 05 Kolasib; 06 Serchhip; 07 Lawngtlai; 08 Mamit
Nagaland NL: 01 Kohima; 02 Mokokchung; 03 Tuensang; 04 Mon; 05 Wokha; 06 Zunheboto; 07 Dimapur; 08 Phek
Odisha OD: 01 Balasore; 02 Bhubaneswar; 03 Balangir; 04 Chandikhol; 05 Cuttack; 06 Dhenkanal; 07 Ganjam; 08 Bhawanipatna; 09 Keonjhar; 10 Koraput; 11 Baripada; 12 Phulbani; 13 Puri; 14 Rourkela; 15 Sambalpur; 16 Sundargarh; 17 Bargarh; 18 Rayagada; 19 Angul; 20 Gajapati; 21 Jagatsinghpur; 22 Bhadrak; 23 Jharsuguda; 24 Nabarangpur; 25 Nayagarh; 26 Nuapada; 27 Boudh; 28 Deogarh; 29 Kendrapara; 30 Malkangiri; 31 Sonepur; 32 Bhanjanagar; 33 Bhubaneswar; 34 Jajpur; 35 Talcher
Puducherry PY: 01 Puducherry; 02 Karaikal; 03 Mahe; 04 Yanam; 05 Villianur
Punjab PB: 01 Chandigarh; 02 Amritsar; 03 Bathinda; 04 Faridkot; 05 Firozpur; 06 Gurdaspur; 07 Hoshiarpur; 08 Jalandhar; 09 Kapurthala; 10 Ludhiana; 11 Patiala; 12 Rupnagar; 13 Sangrur; 15 Fazilka; 16 Anandpur Sahib; 17 Batala; 18 Ajnala; 19 Barnala; 20 Balachaur; 21 Dasuya; 22 Fazilka; 23 Fatehgarh Sahib; 24 Garhshankar; 25 Jagraon; 26 Khanna; 27 Kharar; 28 Malerkotla; 29 Moga; 30 Muktsar; 31 Mansa; 32 Nawanshahr; 33 Nakodar; 34 Nabha; 35 Pathankot; 36 Phagwara; 37 Phillaur; 38 Patti; 39 Rajpura; 40 Rampura Phul; 41 Sultanpur Lodhi; 42 Samana; 43 Samrala; 44 Sunam; 45 Talwandi Sabo; 46 Tarn Taran; 47 Zira; 65 Mohali
Rajasthan RJ: 01 Ajmer; 02 Alwar; 03 Banswara; 04 Barmer; 05 Bharatpur; 06 Bhilwara; 07 Bikaner; 08 Bundi; 09 Chittorgarh; 10 Churu; 11 Dholpur; 12 Dungarpur; 13 Sri Ganganagar; 14 Jaipur; 15 Jaisalmer; 16 Jalore; 17 Jhalawar; 18 Jhunjhunu; 19 Jodhpur; 20 Kota; 21 Nagaur; 22 Pali; 23 Sikar; 24 Sirohi; 25 Sawai Madhopur; 26 Tonk; 27 Udaipur; 28 Baran; 29 Dausa; 30 Rajsamand; 31 Hanumangarh; 32 Kotputli; 33 Ramganj Mandi; 34 Karauli; 35 Pratapgarh Rajasthan; 36 Beawar; 37 Didwana; 38 Abu Road; 39 Balotra; 40 Bhiwadi; 41 Chomu; 42 Kishangarh; 43 Phalodi; 44 Sujangarh; 45 Jaipur; 46 Bhinmal; 47 Dudu; 48 Kekri; 49 Nohar; 50 Nokha; 51 Shahpura Bhilwara; 52 Shahpura Jaipur; 59 Jaipur; 60 Jaipur
Sikkim SK: 01 Gangtok; 02 Geyzing; 03 Mangan; 04 Namchi; 05 Jorethang; 06 Soreng; 07 Pakyong; 08 Rangpo
Tamil Nadu TN: 01 Chennai; 02 Chennai; 03 Chennai; 04 Chennai; 05 Chennai; 06 Chennai; 07 Chennai; 09 Chennai; 10 Chennai; 11 Tambaram; 12 Poonamallee; 13 Chennai; 14 Sholinganallur; 15 Ulundurpet; 16 Tindivanam; 18 Red Hills; 19 Chengalpattu; 20 Tiruvallur; 21 Kanchipuram; 22 Chennai; 23 Vellore; 24 Krishnagiri; 25 Tiruvannamalai; 28 Namakkal; 29 Dharmapuri; 30 Salem; 31 Cuddalore; 32 Villupuram; 33 Erode; 34 Tiruchengode; 36 Gobichettipalayam; 37 Coimbatore; 38 Coimbatore; 39 Tiruppur; 40 Mettupalayam; 41 Pollachi; 42 Tiruppur; 43 Ooty; 45 Tiruchirappalli; 46 Perambalur; 47 Karur; 48 Srirangam; 49 Thanjavur; 50 Tiruvarur; 51 Nagapattinam; 52 Sankari; 54 Salem; 55 Pudukkottai; 56 Perundurai; 57 Dindigul; 58 Madurai; 59 Madurai; 60 Theni; 61 Ariyalur; 63 Sivaganga; 64 Madurai; 65 Ramanathapuram; 66 Coimbatore; 67 Virudhunagar; 68 Kumbakonam; 69 Thoothukudi; 70 Hosur; 72 Tirunelveli; 73 Ranipet; 74 Nagercoil; 75 Marthandam; 76 Tenkasi; 77 Attur; 78 Dharapuram; 79 Sankarankovil; 81 Tiruchirappalli; 82 Mayiladuthurai; 83 Vaniyambadi; 84 Srivilliputhur; 85 Kundrathur; 86 Erode; 87 Sriperumbudur; 88 Namakkal; 90 Salem; 91 Chidambaram; 92 Tiruchendur; 93 Mettur; 94 Palani; 95 Sivakasi; 96 Kovilpatti; 97 Arani; 99 Coimbatore
Telangana TS: 01 Adilabad; 02 Karimnagar; 03 Hanamkonda; 04 Khammam; 05 Nalgonda; 06 Mahabubnagar; 07 Hyderabad; 08 Hyderabad; 09 Hyderabad; 10 Hyderabad; 11 Hyderabad; 12 Hyderabad; 13 Hyderabad; 14 Hyderabad; 15 Sangareddy; 16 Nizamabad; 17 Kamareddy; 18 Nirmal; 19 Mancherial; 20 Asifabad; 21 Jagtial; 22 Peddapalli; 23 Sircilla; 24 Warangal; 25 Bhupalpally; 26 Mahabubabad; 27 Jangaon; 28 Kothagudem; 29 Suryapet; 30 Bhongir; 31 Nagarkurnool; 32 Wanaparthy; 33 Gadwal; 34 Vikarabad; 35 Medak; 36 Siddipet; 37 Mulugu; 38 Narayanpet
Telangana TG: 01 Adilabad; 02 Karimnagar; 03 Hanamkonda; 04 Khammam; 05 Nalgonda; 06 Mahabubnagar; 07 Hyderabad; 08 Hyderabad; 09 Hyderabad; 10 Hyderabad; 11 Hyderabad; 12 Hyderabad; 13 Hyderabad; 14 Hyderabad; 15 Sangareddy; 16 Nizamabad; 17 Kamareddy; 18 Nirmal; 19 Mancherial; 20 Asifabad; 21 Jagtial; 22 Peddapalli; 23 Sircilla; 24 Warangal; 25 Bhupalpally; 26 Mahabubabad; 27 Jangaon; 28 Kothagudem; 29 Suryapet; 30 Bhongir; 31 Nagarkurnool; 32 Wanaparthy; 33 Gadwal; 34 Vikarabad; 35 Medak; 36 Siddipet; 37 Mulugu; 38 Narayanpet
Tripura TR: 01 Agartala; 02 Kailashahar; 03 Udaipur Tripura; 04 Ambassa; 05 Dharmanagar; 06 Khowai; 07 Bishramganj; 08 Belonia
Uttarakhand UK: 01 Almora; 02 Bageshwar; 03 Champawat; 04 Haldwani; 05 Pithoragarh; 06 Rudrapur; 07 Dehradun; 08 Haridwar; 09 Tehri; 10 Uttarkashi; 11 Chamoli; 12 Pauri; 13 Rudraprayag; 14 Rishikesh; 15 Kotdwar; 16 Vikasnagar; 17 Roorkee; 18 Kashipur; 19 Ramnagar; 20 Ranikhet
Uttar Pradesh UP: 11 Saharanpur; 12 Muzaffarnagar; 13 Bulandshahr; 14 Ghaziabad; 15 Meerut; 16 Noida; 17 Baghpat; 19 Shamli; 20 Bijnor; 21 Moradabad; 22 Rampur Uttar Pradesh; 23 Amroha; 24 Budaun; 25 Bareilly; 26 Pilibhit; 27 Shahjahanpur; 30 Hardoi; 31 Lakhimpur Kheri; 32 Lucknow; 33 Raebareli; 34 Sitapur; 35 Unnao; 36 Amethi; 37 Hapur; 38 Sambhal; 40 Bahraich; 41 Barabanki; 42 Ayodhya; 43 Gonda; 44 Sultanpur; 45 Ambedkar Nagar; 46 Shravasti; 47 Balrampur; 50 Azamgarh; 51 Basti; 52 Deoria; 53 Gorakhpur; 54 Mau; 55 Siddharthnagar; 56 Maharajganj; 57 Kushinagar; 58 Sant Kabir Nagar; 60 Ballia; 61 Ghazipur; 62 Jaunpur; 63 Mirzapur; 64 Sonbhadra; 65 Varanasi; 66 Bhadohi; 67 Chandauli; 70 Prayagraj; 71 Fatehpur; 72 Pratapgarh; 73 Kaushambi; 74 Kannauj; 75 Etawah; 76 Farrukhabad; 77 Kanpur Dehat; 78 Kanpur; 79 Auraiya; 80 Agra; 81 Aligarh; 82 Etah; 83 Firozabad; 84 Mainpuri; 85 Mathura; 86 Hathras; 87 Kasganj; 90 Banda; 91 Hamirpur Uttar Pradesh; 92 Jalaun; 93 Jhansi; 94 Lalitpur; 95 Mahoba; 96 Chitrakoot
West Bengal WB: 01 Kolkata; 02 Kolkata; 03 Kolkata; 04 Kolkata; 05 Kolkata; 06 Kolkata; 07 Kolkata; 08 Kolkata; 09 Kolkata; 10 Kolkata; 11 Howrah; 12 Howrah; 15 Hooghly; 16 Hooghly; 18 Hooghly; 19 Alipore; 20 Alipore; 22 Alipore; 24 Barrackpore; 26 Barasat; 29 Tamluk; 30 Tamluk; 33 Medinipur; 34 Medinipur; 37 Asansol; 38 Asansol; 39 Durgapur; 40 Durgapur; 41 Bardhaman; 42 Bardhaman; 44 Asansol; 48 Bolpur; 49 Jhargram; 52 Krishnanagar; 54 Suri; 56 Purulia; 58 Baharampur; 60 Raiganj; 61 Balurghat; 64 Cooch Behar; 66 Malda; 68 Bankura; 70 Alipurduar; 72 Jalpaiguri; 74 Siliguri; 76 Darjeeling; 78 Kalimpong; 79 Kalimpong; 88 Bishnupur Bankura; 89 Kalyani; 90 Arambagh; 91 Jangipur; 92 Islampur; 94 Contai; 95 Baruipur; 96 Barrackpore; 97 Diamond Harbour
"""


def zone_a():
    return set(re.findall(r"^\s*- \[(.+?), A\]", ZONES.read_text(encoding="utf-8"), re.M))


# Letters that states had before; their plates stay valid. Those of TS have rows of their own, since some offices are asked for by both.
FORMER = {"OD": "OR", "UK": "UA"}
NOW = {"TS": "TG"}


def typed(letters, code):
    """Every way to write an office but its own, in one cell."""
    short = code.lstrip("0")
    heads = [f"{letters}{code}", f"{letters} {code}"]
    if short != code:
        heads += [f"{letters}{short}", f"{letters}-{short}", f"{letters} {short}"]
    if letters == "DL":
        heads += [f"{letters}{short}{mark}" for mark in "CS"] + [f"{letters}-{short}{mark}" for mark in "CS"] + [f"{letters}-{short}-{mark}" for mark in "CS"]
    if letters in FORMER:
        heads += [f"{FORMER[letters]}-{code}", typed(FORMER[letters], code)]
    return " ".join(heads)


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def write(name, header, rows):
    with open(ROOT / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)
    assert len({row[0] for row in rows}) == len(rows), f"{name}: key twice"
    print(f"{name}.csv: {len(rows)} rows")


if __name__ == "__main__":
    big = zone_a()
    assert len(big) == 8, big
    offices, states, cities = [], {}, {}
    for line in OFFICES.strip().split("\n"):
        head, listed = line.split(":", 1)
        state, letters = head.rsplit(" ", 1)
        states.setdefault(state, letters)
        for entry in listed.split(";"):
            code, city = entry.strip().split(" ", 1)
            now = f"{NOW[letters]}-{code}" if letters in NOW else ""
            zone = "A" if city in big else "B"
            offices.append([f"{letters}-{code}", city, state, zone, f"{letters}-{code} {city}", typed(letters, code), now])
            cities.setdefault(city, [None, city, states[state], slug(city)])
    popular = ["New Delhi", "Mumbai", "Bengaluru", "Chennai", "Kolkata", "Hyderabad", "Pune", "Ahmedabad", "Jaipur", "Lucknow", "Gurugram"]
    order = {city: rank for rank, city in enumerate(popular)}
    listed = sorted(cities.values(), key=lambda row: (order.get(row[1], 99), row[1]))
    for number, row in enumerate(listed, 1):
        row[0] = number
        row.append("true" if row[1] in order else "false")
    write("rto", ["rto", "city", "state", "zone", "title", "codes", "now"], sorted(offices))
    write("states", ["stateId", "stateName"], sorted([letters, state] for state, letters in states.items()))
    write("cities", ["cityId", "cityName", "stateId", "citySlug", "isPopular"], listed)
