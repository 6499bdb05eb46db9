"""An estimate of tokens that needs no vocabulary and errs on the high side.

Each match of `_token_pattern` counts as one token. The pattern splits as o200k does (words with the
space before them, groups of three digits, punctuation, white space), and cuts a word where a
vocabulary of common words would have to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache


class EstimateMeter:
    """A meter that needs only the standard library, and errs on the high side.

    The estimate is never too low on the texts in tests/corpus, and at most 1.5 times the exact
    count on JSON in Latin script. It can be too low for random letters in scripts such as Greek or
    Arabic, because it assumes real words there.
    """

    name = "estimate"

    # The rules are right on average, which a text of a few words may be far from.
    _SLACK = 4

    def count(self, text: str) -> int:
        return self._SLACK + sum(map(_estimate, _slices(text))) if text else 0

    def exceeds(self, text: str, limit: int) -> bool:
        left = limit - self._SLACK if text else limit
        for part in _slices(text):
            if left < 0:
                return True
            left -= _estimate(part)
        return left < 0


def _slices(text: str, size: int = 4_096) -> Iterator[str]:
    """Yield the text in slices. A cut inside a word only makes the estimate a little higher."""
    return (text[start : start + size] for start in range(0, len(text), size))


def _estimate(piece: str) -> int:
    tokens = len(_token_pattern().findall(piece))
    if piece.isascii():
        return tokens
    return tokens + sum(extra * len(rare.findall(piece)) for extra, rare in _rare_patterns())


# The rules

# A word takes few tokens if its letters often occur together. Each group in `_JOINED` is a letter
# with those that follow it inside one token in at least 60 of 100 places, over a mix of 30,000
# different words and 40,000 random strings. A word is cut at every other pair of letters. So
# English words stay whole, and base64 falls apart as it does in o200k.
_JOINED = (
    "abcdfghijklmnprstuvwxyz babeiloruy cacdehklmortyz dabdeiorsuy ebcdfgklmnrstvwxyz fefilorstx "
    "gbeghlnrsty haeort iabcdefghjklmnoprstvxyz jaejnsu keknrstwy ladeilostuy mabdeilmopsty "
    "nacdeghnosty obcdfghklmnoprstuvwxy paehloprstuxy qlqu racdegimorsty sehkopsty tehiorsty "
    "ubcdefghijklmnprstvwxyz vaegiory wadehnorswy xbtxy ydlmnps zaehintwyz"
)

# Han and Hangul have too many characters for a rule. These characters are one token each, and make
# up most of ordinary text. All others of these scripts count as one token a byte.
_FREQUENT_HAN = (
    "一丁七万三上下不与专世业东两个中丰为主举久么义之乐九也习书买乱乳了予争事二于云互五亚些交产享"
    "京人亿什今介从他付代以们件价任份企伊休众优会传伦但位低住体何余作你使例供依価便保信修個倍候值"
    "假做停健像儿元充先光克免兑党入全八公六兰共关兴其具典内円册再写军农冠决况准几出击分切划列则创"
    "初利别到制刷前剧力办功加务动助势動務包化北区医十千升午半华卓单南博卡印即厅历压原去县参又及友"
    "双反发取受变口古另只可台史右号司吃各合吉同名后向吗否吧听告员周味命和品哈哥哪售商問喜器四回因"
    "团园围国图國圖土在地场址均坛型城域基堂報場境增士声处备复夏外多夜大天太夫央失头奇奖套女她好如"
    "妇妹妻始姐委威娱媒子字存季学宁安完官定宝实実客室家容宾密富对导射将小少尔就尼局居展属山岁川州"
    "工左巧差己已巴市布师带常幕干平年并广庆序库应底店府度座康建开式引张强当录形影待很律後得微德心"
    "必志快态怎思性总息您情惠想意愛感戏成我或战截户房所手才打找承技把投护报拉拍招持挂指按换据排接"
    "控推提搜播操支收改攻放政故效教数整文斗料断斯新方施旅族旗无日早时明易星春是显時晚普景智更書最"
    "月有服望期木未本术机杀权李材村条来東板极构析林果查标校样核根格案業模機次欢欧款止正此步武死段"
    "母每比毛民气気水永求江汽沙没河油治法波注洲活派流测济海消深清温港游湖源满漏演漫潮激火点热無然"
    "照熟爱片版牌牛物特状狗猜率王玩环现球理生用田由申电男画界留略番病発登白百的皇盈益监盘盛盟目直"
    "相省看県真着知石码研破确示社神票禁福私种科秒秘积称程税稳稿究空立站竞章端笑第等答策签简算管篇"
    "篮米类精系約素索網線红约级纪线组细绍经结给络统续维综编网罗置美群老考者而职联肖股育胜能脑自至"
    "致航良色艺节花苏英范草荐获菜营落藏虎融血行衣表被装西要見視见观规视览角解言計記話說警计认让议"
    "讯记许论设证评识词试话询该详语说请读谁调谢谱象費负财责败账质购费资赚赛赢走起超越足跑路身車載"
    "车转软载辑输边达过迎运近返还这进违连述追退送选透通速造連道邀那部都配酒采里重野量金钟钱银链销"
    "锋错長长開間门问间闻队防阳阿际陆降限院除险随难集雷電需霸青非靠面韩音頻页项预领频题额风飞食餐"
    "首香马验骗體高鱼鲁黄黑龙"
)
_FREQUENT_HANGUL = (
    "가각간감강같개객거건걸검것게겠겨격견결경계고곳공과관광교구국군권규그극근글금급기길김까께나난"
    "날남내너널네넷녀년노누뉴느는늘능니님다단달담답당대더던데델도독돌동되된될두드득든들등디따때또"
    "라락란람랍랑래랜램량러런럼럽렇레려력련령례로록론롯료루류률르른를름리릭린릴림립링마막만많말망"
    "매머메며면명모목무문물미민밀및바박반받발방배백버번벌범법베벤변별병보복본볼부북분불뷰브블비사"
    "산살상새색생서석선설성세센셔션소속손송수순술스습승시식신실심십쓰씨아악안않알았애액야약양어억"
    "언얼업없었에엔여역연열였영예오온올와완외요용우운울움워원월위유육율으은을음응의이익인일임입있"
    "자작잡장재쟁저적전절점접정제져졌조족존종좋주준중즈증지직진질집징짜째쪽차착찰참창채책처천철청"
    "체쳐초총최추축출취츠층치친침카커케코크클키타탁태택터턴테텔템토통투트특티팅파판패퍼페편평포폰"
    "표품프플피필하학한할함합항해했행향험현협형호화확환활황회획후희히"
)

# Sequences of punctuation that are one token, longest first: those of JSON inside a JSON string, of
# JSON, then of code and prose.
_PUNCTUATION = (
    r'\":\"|\",\"|\":|\",|\"|\\"|\\|"},{"|},{"|":{"|":["|":[]|","|":"|"},|"],|"}]|"}}|}},|}],|]},|],['
    r'|":[|":|",|{"|"}|,"|["|"]|},|],|}}|]]|[[|[{|""|{}|[]|}]|]}|,{|,['
    r"|</|/>|\">|=\"|></|()|);|),|):|).|->|=>|::|//|==|!=|&&|||"
)

_CYRILLIC = "\u0401\u0404\u0406\u0407\u040e\u0410-\u044f\u0451-\u0459\u045b\u045c\u045e\u045f"
_CYRILLIC_CONSONANT = "\u0431-\u0434\u0436\u0437\u0439-\u043d\u043f-\u0442\u0444-\u044a\u044c"
_CYRILLIC_VOWEL = "\u0430\u0435\u0438\u043e\u0443\u044b\u044d\u044e\u044f\u0451\u0456\u0457\u0454"
_ARABIC = "\u0621-\u063a\u0641-\u064a"
_HEBREW = "\u05d0-\u05ea"
_GREEK = "\u0391-\u03a1\u03a3-\u03a9\u03ac-\u03af\u03b1-\u03ce"
_GREEK_SMALL = "\u03ac-\u03af\u03b1-\u03ce"
_DEVANAGARI = "\u0905-\u090a\u090f-\u0911\u0913-\u0928\u092a-\u0933\u0935-\u0939\u093c-\u0943\u0945\u0947-\u0949\u094b-\u094d\u0958\u095b-\u095e\u0964\u0965"
_THAI = "\u0e01\u0e02\u0e04\u0e06-\u0e0b\u0e0d-\u0e11\u0e13-\u0e25\u0e27-\u0e39\u0e40-\u0e44\u0e46-\u0e4d"
_KANA = "\u3042\u3044\u3046\u3048\u304a-\u3061\u3063-\u306b\u306d-\u3073\u3075-\u3079\u307b-\u308d\u308f\u3092\u3093\u30a2-\u30a4\u30a6-\u30c1\u30c3\u30c4\u30c6-\u30cb\u30cd-\u30ed\u30ef\u30f3\u30fb\u30fc"
_SIGNS = "\u2013\u2014\u2018\u2019\u201c-\u201e\u2022\u2026\u20ac\u2122\u2190-\u2193\u2212\u2500\u2502\u3000-\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\ufeff\ufffd"
_LATIN = "\u00a0-\u00da\u00dc-\u0107\u010c\u010d\u0119\u011f\u0131\u0142\u0144\u0151\u0159\u015b\u015f-\u0161\u016b\u016f\u0171\u017a\u017c-\u017e"
_VIETNAMESE = "\u1ea0-\u1ea9\u1eab-\u1eaf\u1eb1\u1eb3\u1eb5-\u1eb9\u1ebb\u1ebd-\u1ec3\u1ec5-\u1ec7\u1ec9-\u1ecd\u1ecf-\u1ed5\u1ed7-\u1edf\u1ee1-\u1ee9\u1eeb\u1eed\u1eef-\u1ef1\u1ef3\u1ef7\u1ef9"
# Each of these characters is at most one token by itself.
_SINGLE = (
    _LATIN
    + _CYRILLIC
    + _ARABIC
    + _HEBREW
    + _GREEK
    + _DEVANAGARI
    + _THAI
    + _KANA
    + _SIGNS
    + _VIETNAMESE
)


@cache
def _token_pattern() -> re.Pattern[str]:
    """Compile the pattern at its first use, because most processes never estimate."""
    return re.compile(
        "|".join(
            (
                ",?(?:true|false|null)(?![a-z])",
                f" ?{_joins('a', 'a')}{{0,6}}[a-z]",
                f" ?{_joins('A', 'a')}{_joins('a', 'a')}{{0,4}}[a-z]",
                f" ?{_joins('A', 'A')}{{0,3}}[A-Z]",
                "[0-9]{1,3}",
                r"\\[nrtu]",
                f" ?(?:{_escaped(_PUNCTUATION)})",
                r" ?([-=*#_.~])\1{1,3}",
                r" ?[!-/:-@\[-`{-~]",
                " {1,16}|\n{1,2}|\r\n|\t{1,2}",
                f" ?[{_CYRILLIC}]?[{_CYRILLIC_CONSONANT}]?[{_CYRILLIC_VOWEL}][{_CYRILLIC_CONSONANT}]{{0,2}}",
                f" ?(?:[{_ARABIC}]{{1,2}}|[{_HEBREW}]{{1,2}}|[{_GREEK}][{_GREEK_SMALL}]?|[{_DEVANAGARI}]{{1,3}}|[{_THAI}]{{1,2}})",
                ".",
            )
        ),
        re.DOTALL,
    )


@cache
def _rare_patterns() -> tuple[tuple[int, re.Pattern[str]], ...]:
    """Return patterns of characters that may take a token a byte, and their extra bytes."""
    rare = f"(?![{_SINGLE}{_FREQUENT_HAN}{_FREQUENT_HANGUL}])"
    return (
        (1, re.compile(f"{rare}[\x80-\u07ff]")),
        (2, re.compile(f"{rare}[\u0800-\uffff]")),
        (3, re.compile("[\U00010000-\U0010ffff]")),
    )


def _joins(first: str, second: str) -> str:
    """Return a pattern for a letter that is followed by a joined one, each in the given case."""
    change = {"A": str.upper, "a": str.lower}
    pairs = ((change[first](row[0]), change[second](row[1:])) for row in _JOINED.split())
    return "(?:" + "|".join(f"{letter}(?=[{follower}])" for letter, follower in pairs) + ")"


def _escaped(sequences: str) -> str:
    return "|".join(re.escape(sequence) for sequence in sequences.split("|") if sequence)
