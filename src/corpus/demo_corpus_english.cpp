// The English grammar of the demo corpus.
#include <array>

#include "corpus/demo_corpus_sentences.h"

namespace qanat {
namespace {

using Words = std::string_view;

constexpr std::array<Words, 12> kEnUtterance = {"<short>",
                                                "<short>",
                                                "<statement>.",
                                                "<when>, <statement>.",
                                                "<question>?",
                                                "<statement>, and <statement>.",
                                                "<statement>, but <statement>.",
                                                "<when>, <statement>, because <statement>.",
                                                "<statement>; <turn>, <statement>.",
                                                "<short> <when>, <statement>, and <statement>.",
                                                "<statement>. <question>?",
                                                "<when>, <statement>, although <statement>."};

constexpr std::array<Words, 16> kEnShort = {"good morning.",
                                            "come in, please.",
                                            "thank you very much.",
                                            "that is all I know.",
                                            "wait a moment!",
                                            "not this time.",
                                            "nobody answered.",
                                            "it was too late.",
                                            "<person> laughed.",
                                            "<person> did not agree.",
                                            "the lamp went out.",
                                            "what a day!",
                                            "it is <clock> now.",
                                            "only <few> were left.",
                                            "the <animal> was asleep.",
                                            "well, let us begin."};

constexpr std::array<Words, 14> kEnStatement = {"<person> <did>",
                                                "<person> <did> <where>",
                                                "<person> and <person> <did>",
                                                "the <worker> <did> <where>",
                                                "the <adjective> <worker> <did>",
                                                "there were <few> <things> <where>",
                                                "<many> <things> were counted <where>",
                                                "nearly <percent> of the <things> came from <town>",
                                                "the <thing> in the window cost <price>",
                                                "the <vehicle> from <town> left at <clock>",
                                                "<title> was born in <town> in <year>",
                                                "the road to <town> is <decimal> miles long",
                                                "on the <ordinal> of <month> the <worker> <did>",
                                                "about <thousands> people lived <where> in <year>"};

constexpr std::array<Words, 10> kEnQuestion = {"who <did>",
                                               "did you see the <animal> <where>",
                                               "why was the <thing> so <adjective>",
                                               "how many <things> are there <where>",
                                               "has the <vehicle> to <town> left already",
                                               "would you like <few> more <things>",
                                               "where does <title> live now",
                                               "is it true that <person> <did>",
                                               "can you hear the <animal> outside",
                                               "what happened in <town> in <year>"};

constexpr std::array<Words, 24> kEnDid = {
    "opened the <adjective> gate",     "closed the shutters one by one",
    "wrote a long letter to <person>", "carried <few> <things> up the hill",
    "sold the <thing> for <price>",    "waited for the <vehicle>",
    "told <person> the whole story",   "painted the <thing> blue",
    "looked for the lost <thing>",     "found a <adjective> <thing>",
    "walked quickly to the station",   "sang an old song",
    "fed the <animal> and went home",  "forgot the name of the street",
    "measured the water every hour",   "kept the <thing> in a wooden box",
    "drew a map of the valley",        "heard thunder far away",
    "bought bread, cheese and figs",   "read the newspaper aloud",
    "repaired the <adjective> bridge", "planted <few> young trees",
    "asked for another cup of tea",    "counted the stars until midnight"};

constexpr std::array<Words, 12> kEnWhen = {"yesterday",
                                           "last winter",
                                           "in <year>",
                                           "at <clock>",
                                           "early in the morning",
                                           "on the <ordinal> of <month>",
                                           "after the rain",
                                           "<few> days later",
                                           "when the bells rang",
                                           "every year in <month>",
                                           "shortly before noon",
                                           "once upon a time"};

constexpr std::array<Words, 6> kEnTurn = {
    "later that day", "meanwhile", "in the end", "for that reason", "even so", "as it happens"};

constexpr std::array<Words, 14> kEnWhere = {"in the garden",
                                            "by the river",
                                            "under the old bridge",
                                            "at the market",
                                            "near <town>",
                                            "behind the school",
                                            "on the upper floor",
                                            "between the two hills",
                                            "in the middle of the square",
                                            "beside the fire",
                                            "along the northern road",
                                            "inside the museum",
                                            "among the apple trees",
                                            "at the edge of the desert"};

constexpr std::array<Words, 20> kEnPerson = {"Alice",  "Thomas", "Miriam", "Oliver", "Grace",
                                             "Henry",  "Julia",  "Samuel", "Nora",   "Edward",
                                             "Clara",  "Victor", "Helen",  "Martin", "Ingrid",
                                             "Walter", "Rosa",   "Philip", "Leila",  "George"};

constexpr std::array<Words, 8> kTitle = {"Dr. Harper",
                                         "Mr. Whitfield",
                                         "Mrs. Langley",
                                         "Dr. Okafor",
                                         "Mr. Benson",
                                         "Mrs. Petrov",
                                         "Dr. Sutherland",
                                         "Mr. Quigley"};

constexpr std::array<Words, 14> kWorker = {"baker",
                                           "teacher",
                                           "gardener",
                                           "captain",
                                           "carpenter",
                                           "shepherd",
                                           "engineer",
                                           "librarian",
                                           "miller",
                                           "postman",
                                           "musician",
                                           "watchmaker",
                                           "fisherman",
                                           "nurse"};

constexpr std::array<Words, 16> kEnThing = {"clock",
                                            "ladder",
                                            "carpet",
                                            "kettle",
                                            "violin",
                                            "basket",
                                            "mirror",
                                            "lantern",
                                            "suitcase",
                                            "telescope",
                                            "umbrella",
                                            "blanket",
                                            "wheelbarrow",
                                            "bookshelf",
                                            "chair",
                                            "jug"};

constexpr std::array<Words, 14> kThings = {"letters",
                                           "bottles",
                                           "candles",
                                           "oranges",
                                           "pages",
                                           "photographs",
                                           "visitors",
                                           "horses",
                                           "wooden chairs",
                                           "silver coins",
                                           "empty sacks",
                                           "new houses",
                                           "fishing boats",
                                           "green apples"};

constexpr std::array<Words, 10> kAnimal = {
    "dog", "owl", "donkey", "heron", "goat", "nightingale", "cat", "fox", "camel", "raven"};

constexpr std::array<Words, 6> kVehicle = {"train", "bus", "ferry", "coach", "tram", "night train"};

constexpr std::array<Words, 14> kEnTown = {"Bristol",
                                           "Galway",
                                           "Vienna",
                                           "Isfahan",
                                           "Lisbon",
                                           "Oxford",
                                           "Yazd",
                                           "Portland",
                                           "Geneva",
                                           "Cairo",
                                           "Bergen",
                                           "Kashan",
                                           "Boston",
                                           "Turin"};

constexpr std::array<Words, 12> kAdjective = {"heavy",
                                              "narrow",
                                              "cheerful",
                                              "crooked",
                                              "patient",
                                              "curious",
                                              "beautiful",
                                              "quiet",
                                              "dusty",
                                              "yellow",
                                              "generous",
                                              "strange"};

constexpr std::array<Words, 12> kEnMonth = {"January",
                                            "February",
                                            "March",
                                            "April",
                                            "May",
                                            "June",
                                            "July",
                                            "August",
                                            "September",
                                            "October",
                                            "November",
                                            "December"};

constexpr std::array kEnGrammar = {GrammarRule{"utterance", kEnUtterance},
                                   GrammarRule{"short", kEnShort},
                                   GrammarRule{"statement", kEnStatement},
                                   GrammarRule{"question", kEnQuestion},
                                   GrammarRule{"did", kEnDid},
                                   GrammarRule{"when", kEnWhen},
                                   GrammarRule{"turn", kEnTurn},
                                   GrammarRule{"where", kEnWhere},
                                   GrammarRule{"person", kEnPerson},
                                   GrammarRule{"title", kTitle},
                                   GrammarRule{"worker", kWorker},
                                   GrammarRule{"thing", kEnThing},
                                   GrammarRule{"things", kThings},
                                   GrammarRule{"animal", kAnimal},
                                   GrammarRule{"vehicle", kVehicle},
                                   GrammarRule{"town", kEnTown},
                                   GrammarRule{"adjective", kAdjective},
                                   GrammarRule{"month", kEnMonth}};

}  // namespace

std::span<const GrammarRule> english_grammar() {
  return kEnGrammar;
}

}  // namespace qanat
