// The Persian grammar of the demo corpus.
#include <array>

#include "corpus/demo_corpus_sentences.h"

namespace qanat {
namespace {

using Words = std::string_view;

constexpr std::array<Words, 12> kFaUtterance = {"<short>",
                                                "<short>",
                                                "<statement>.",
                                                "<when> <statement>.",
                                                "<question>؟",
                                                "<statement> و <statement>.",
                                                "<statement>، اما <statement>.",
                                                "<when> <statement>، چون <statement>.",
                                                "<statement>؛ <turn> <statement>.",
                                                "<short> <when> <statement> و <statement>.",
                                                "<statement>. <question>؟",
                                                "<when> <statement>، با این که <statement>."};

constexpr std::array<Words, 14> kFaShort = {"صبح بخیر.",
                                            "بفرمایید، خوش آمدید.",
                                            "خیلی ممنونم.",
                                            "کسی جواب نداد.",
                                            "کمی صبر کنید!",
                                            "دیگر دیر شده بود.",
                                            "<person> خندید.",
                                            "<person> موافق نبود.",
                                            "چراغ خاموش شد.",
                                            "عجب روزی بود!",
                                            "ساعت <clock> است.",
                                            "فقط <few> نفر مانده بودند.",
                                            "هوا سرد است.",
                                            "خوب، شروع کنیم."};

constexpr std::array<Words, 14> kFaStatement = {
    "<person> <did>",
    "<person> <where> <did>",
    "<worker_of> پیر <where> <did>",
    "<worker_of> شهر <did>",
    "<where> <few> <thing> دیده می‌شد",
    "<many> <thing> <where> شمرده شد",
    "نزدیک به <percent> مردم <town> این را می‌دانستند",
    "قیمت این <thing> <thousands> تومان بود",
    "قطار <town> ساعت <clock> حرکت کرد",
    "<person> در سال <year> در <town> به دنیا آمد",
    "راه <town> <many> کیلومتر است",
    "آن <worker_of> مهربان <where> <did>",
    "روز <few> <month> <person> <did>",
    "در سال <year> حدود <thousands> نفر <where> زندگی می‌کردند"};

constexpr std::array<Words, 8> kFaQuestion = {"چه کسی <did>",
                                              "آیا <person> <where> <did>",
                                              "چرا آن <thing> شکسته بود",
                                              "چند <thing> <where> مانده است",
                                              "قطار <town> کی حرکت می‌کند",
                                              "یک چای دیگر می‌خواهید",
                                              "در سال <year> در <town> چه گذشت",
                                              "صدای باد را می‌شنوید"};

constexpr std::array<Words, 22> kFaDid = {"درِ باغ را باز کرد",
                                          "پنجره‌ها را یکی‌یکی بست",
                                          "برای <person> نامه نوشت",
                                          "<few> <thing> از بازار خرید",
                                          "منتظر قطار ماند",
                                          "داستان را برای <person> گفت",
                                          "یک <thing_of> قدیمی پیدا کرد",
                                          "تا ایستگاه پیاده رفت",
                                          "ترانهٔ تازه‌ای خواند",
                                          "به پرنده‌ها دانه داد",
                                          "نام کوچه را فراموش کرد",
                                          "آب قنات را اندازه گرفت",
                                          "نقشهٔ دره را کشید",
                                          "صدای رعد را از دور شنید",
                                          "نان و پنیر و انگور خرید",
                                          "روزنامه را بلند خواند",
                                          "پل شکسته را درست کرد",
                                          "<few> درخت جوان کاشت",
                                          "یک استکان چای نوشید",
                                          "تا نیمه‌شب ستاره‌ها را شمرد",
                                          "کتاب‌هایش را در صندوق گذاشت",
                                          "از دوستش کمک خواست"};

constexpr std::array<Words, 11> kFaWhen = {"دیروز",
                                           "زمستان گذشته",
                                           "در سال <year>",
                                           "ساعت <clock>",
                                           "صبح زود",
                                           "پس از باران",
                                           "<few> روز بعد",
                                           "کمی پیش از ظهر",
                                           "هر سال در <month>",
                                           "آن شب",
                                           "هنگام غروب"};

constexpr std::array<Words, 5> kFaTurn = {
    "با این همه", "سرانجام", "به همین دلیل", "کمی بعد", "در این میان"};

constexpr std::array<Words, 12> kFaWhere = {"در باغ",
                                            "کنار رودخانه",
                                            "زیر پل",
                                            "در بازار",
                                            "نزدیک <town>",
                                            "پشت مدرسه",
                                            "در طبقهٔ بالا",
                                            "میان دو تپه",
                                            "وسط میدان",
                                            "کنار آتش",
                                            "در موزه",
                                            "زیر درخت‌ها"};

constexpr std::array<Words, 16> kFaPerson = {"آرش",
                                             "مریم",
                                             "بهرام",
                                             "نسرین",
                                             "پرویز",
                                             "شیرین",
                                             "کیوان",
                                             "ژاله",
                                             "سارا",
                                             "فرهاد",
                                             "گلناز",
                                             "داریوش",
                                             "لیلا",
                                             "حسین",
                                             "زهرا",
                                             "امید"};

// Before an adjective or a noun that belongs to it: with the ezafe, where it is written.
constexpr std::array<Words, 10> kWorkerOf = {
    "نانوای", "معلم", "باغبان", "ناخدای", "نجار", "چوپان", "مهندس", "آسیابان", "نوازندهٔ", "پرستار"};

constexpr std::array<Words, 14> kFaThing = {"ساعت",
                                            "نردبان",
                                            "فرش",
                                            "کتری",
                                            "سبد",
                                            "آینه",
                                            "فانوس",
                                            "چمدان",
                                            "چتر",
                                            "صندلی",
                                            "کوزه",
                                            "کتاب",
                                            "گلدان",
                                            "قایق"};

constexpr std::array<Words, 6> kThingOf = {"ساعت", "فرش", "آینهٔ", "فانوس", "کوزهٔ", "کتاب"};

constexpr std::array<Words, 12> kFaTown = {"اصفهان",
                                           "یزد",
                                           "شیراز",
                                           "کاشان",
                                           "تبریز",
                                           "رشت",
                                           "کرمان",
                                           "گناباد",
                                           "همدان",
                                           "مشهد",
                                           "قزوین",
                                           "بوشهر"};

constexpr std::array<Words, 12> kFaMonth = {"فروردین",
                                            "اردیبهشت",
                                            "خرداد",
                                            "تیر",
                                            "مرداد",
                                            "شهریور",
                                            "مهر",
                                            "آبان",
                                            "آذر",
                                            "دی",
                                            "بهمن",
                                            "اسفند"};

constexpr std::array kFaGrammar = {GrammarRule{"utterance", kFaUtterance},
                                   GrammarRule{"short", kFaShort},
                                   GrammarRule{"statement", kFaStatement},
                                   GrammarRule{"question", kFaQuestion},
                                   GrammarRule{"did", kFaDid},
                                   GrammarRule{"when", kFaWhen},
                                   GrammarRule{"turn", kFaTurn},
                                   GrammarRule{"where", kFaWhere},
                                   GrammarRule{"person", kFaPerson},
                                   GrammarRule{"worker_of", kWorkerOf},
                                   GrammarRule{"thing", kFaThing},
                                   GrammarRule{"thing_of", kThingOf},
                                   GrammarRule{"town", kFaTown},
                                   GrammarRule{"month", kFaMonth}};

}  // namespace

std::span<const GrammarRule> persian_grammar() {
  return kFaGrammar;
}

}  // namespace qanat
