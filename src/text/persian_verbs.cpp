#include "text/persian_verbs.h"

#include <algorithm>
#include <array>

#include "text/word_list.h"

namespace qanat {
namespace {

using std::string_view;

// All tables are sorted by bytes.

constexpr std::array kPresentStems = word_list<162>(
    "آرای آزمای آموز آمیز آور آویز آی افت افراز افزای افکن انداز اندیش انگار انگیز ایست بار "
    "باز باش باف بخش بر بلع بند بین تاب تاز تراش ترس توان تپ جنب جنگ جه جوش جوشان جوی خر خراش "
    "خرام خشک خند خواب خوابان خواست خوان خواه خور خیز دار دان درخش دزد ده دو دوان دوز ران ربای "
    "رس رسان رقص رنج رو روی ریز زای زدای زن زی ساز ستای ستیز سرای سنج سوز سوزان سپار شایست "
    "شمار شناس شنو شو شوی شکاف شکن طلب غر غلت فرست فرمای فروش فریب فشار فشر فهم فهمان لرز لغز "
    "لنگ مال مان ماند میر نال نشان نشین نمای نه نواز نوش نویس نگر هراس ورز وز پاش پای پذیر پر "
    "پران پرداز پرس پرور پز پسند پندار پوش پیمای پیچ چای چرخ چرخان چسب چسبان چش چک چین کار کاه "
    "کش کن کوب کوش گداز گذار گذر گذران گرای گرد گری گریز گزین گستر گسل گشای گمار گنج گوی گیر "
    "گیران یاب");

constexpr std::array kPastStems = word_list<144>(
    "آراست آزمود آمد آموخت آمیخت آورد آویخت افتاد افزود افکند انداخت اندیشید انگاشت انگیخت "
    "ایستاد باخت بارید بافت بخشید برد بست بلعید بود تابید تاخت تراشید ترسید توانست تپید جست "
    "جنبید جنگید جهید جوشید خراشید خرید خندید خواباند خوابید خواست خواند خورد داد داشت دانست "
    "درخشید دزدید دوخت دوید دید راند ربود رساند رسید رفت رقصید رنجید رویید ریخت زد زدود زیست "
    "ساخت ستود ستیزید سرود سنجید سوخت سوزاند سپرد شد شست شمرد شناخت شنید شکافت شکست طلبید غرید "
    "غلتید فرستاد فرمود فروخت فریفت فشرد فهمید لرزید لغزید لنگید مالید ماند مرد نالید نشاند "
    "نشست نمایاند نمود نهاد نواخت نوشت نوشید نگریست ورزید پاشید پخت پذیرفت پرداخت پرسید پرورد "
    "پرید پسندید پنداشت پوشاند پوشید پیمود پیچید چرخاند چرخید چسباند چسبید چشید چکید چید کاست "
    "کاشت کرد کشید کوبید کوشید گداخت گذاشت گذراند گذشت گرایید گرفت گریخت گریست گزید گسترد گشت "
    "گشود گفت گنجید یافت");

// Forms of everyday speech, whole: میرم، میشه، میگن.
constexpr std::array<string_view, 59> kSpokenForms = {
    "اد",   "ام",   "ایم",  "تونم",  "تونن",  "تونه",  "تونی",  "تونیم", "تونین", "خواد",
    "خوام", "خوان", "خوای", "خوایم", "خواین", "خونم",  "خونن",  "خونه",  "دم",    "دن",
    "ده",   "دونم", "دونن", "دونه",  "دونی",  "دونیم", "دونین", "دی",    "دیم",   "دین",
    "ذارم", "ذارن", "ذاره", "ذاری",  "ذاریم", "رم",    "رن",    "ره",    "ری",    "ریم",
    "رین",  "شم",   "شن",   "شه",    "شیم",   "شین",   "مونم",  "مونن",  "مونه",  "گم",
    "گن",   "گه",   "گی",   "گیم",   "گین",   "یاد",   "یام",   "یایم",  "یاین"};

// In the present an ending is needed; the past has a form without one. The second row also has
// the object at its end: می‌بینمش.
constexpr std::array<string_view, 6> kPresentEndings = {"م", "ی", "د", "یم", "ید", "ند"};
constexpr std::array<string_view, 6> kPastEndings = {"", "م", "ی", "یم", "ید", "ند"};
constexpr std::array<string_view, 8> kObjects = {"", "ش", "شان", "شون", "تان", "تون", "مان", "مون"};

template <std::size_t kCount>
constexpr bool is_sorted_table(const std::array<string_view, kCount>& words) {
  return std::ranges::is_sorted(words);
}
static_assert(is_sorted_table(kPresentStems) && is_sorted_table(kPastStems) &&
              is_sorted_table(kSpokenForms));

template <std::size_t kStems, std::size_t kEndings>
bool has_form(string_view word,
              const std::array<string_view, kStems>& stems,
              const std::array<string_view, kEndings>& endings) {
  return std::ranges::any_of(endings, [&](string_view ending) {
    return word.size() > ending.size() && word.ends_with(ending) &&
           std::ranges::binary_search(stems, word.substr(0, word.size() - ending.size()));
  });
}

}  // namespace

bool is_persian_verb_form(string_view word) {
  if (std::ranges::binary_search(kSpokenForms, word)) {
    return true;
  }
  return std::ranges::any_of(kObjects, [&](string_view object) {
    if (!word.ends_with(object)) {
      return false;
    }
    const string_view form = word.substr(0, word.size() - object.size());
    return has_form(form, kPresentStems, kPresentEndings) ||
           has_form(form, kPastStems, kPastEndings);
  });
}

}  // namespace qanat
