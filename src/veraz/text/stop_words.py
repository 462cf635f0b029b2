"""Words that carry no subject, per language, without accents: they are neither indexed nor searched.

Only function words stand here. A word that can be a subject («estado», «era», «will») stays out:
BM25's idf already makes frequent words weigh little.
"""

_LISTS = {
    "es": """
    a al ante aquel aquella aquellas aquello aquellos aqui asi aun aunque cada como con contra cual cuales
    cualquier cuando cuanto cuya cuyas cuyo cuyos de del desde donde dos e el ella ellas ello ellos en entre es
    esa esas ese eso esos esta estan estas este esto estos fue fueron ha habia han hasta hay la las le les lo
    los mas me mi mis mucho muy ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros
    para pero por porque pues que quien quienes se sea segun ser si sido sin sino sobre solo son su sus tal
    tales tambien tampoco tan tanto te ti tu tus u un una unas uno unos usted ustedes y ya yo""",
    "en": """
    a about an and are as at be been but by can could did do does for from had has have he her hers him his how
    i if in into is it its me my no not of on or our ours she should so than that the their theirs them then
    there these they this those to too us was we were what when where which who whom whose why with would you
    your yours""",
    "pt": """
    a ao aos aquela aquelas aquele aqueles aquilo as ate com como da das de dela delas dele deles depois do dos
    e ela elas ele eles em entre era essa essas esse esses esta estas este estes eu foi foram ha isso isto ja la
    lhe lhes mais mas me mesmo meu meus minha minhas muito na nao nas nem no nos nos nossa nosso num numa o os
    ou para pela pelas pelo pelos por qual quais quando que quem se sem ser seu seus so sua suas tambem te tem
    um uma umas uns voce voces""",
    "fr": """
    a ai as au aux avec c ce ces cet cette ceux comme d dans de des donc dont du elle elles en est et eux il ils
    j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas plus pour qu
    quand que quel quelle quelles quels qui s sa sans se ses si son sont sous sur t ta te tes toi ton tu un une
    vos votre vous y""",
    "de": """
    aber als am an auch auf aus bei bin bis bist da das dass dem den der des die dies diese diesem diesen dieser
    dieses doch du durch ein eine einem einen einer eines er es fur hat ich ihm ihn ihnen ihr ihre im in ist ja
    kein keine man mein mit nach nicht noch nur ob oder ohne sein seine sich sie sind so uber um und uns unter
    vom von vor war was wenn wer wie wir wird zu zum zur""",
    "it": """
    a ad agli ai al alla alle allo anche c che chi ci come con cui da dagli dai dal dalla dalle dallo d degli
    dei del della delle dello di dove e ed era gli ha hanno i il in io l la le lei li lo loro lui ma mi mia mie
    miei mio ne negli nei nel nella nelle nello no noi non nostra nostro o per perche piu quale quali quando
    quella quelle quelli quello questa queste questi questo se sei si sia sono sta su sua sue sugli sui sul
    sulla sulle sullo suo suoi ti tra tu tua tuo un una uno vi voi""",
}

STOP_WORDS: dict[str, frozenset[str]] = {code: frozenset(words.split()) for code, words in _LISTS.items()}
"""Stop words by ISO 639-1 code."""
