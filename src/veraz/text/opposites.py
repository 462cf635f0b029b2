"""Words that turn a sentence into its contrary: negations, exceptions and opposites, Spanish and English."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

NEGATIONS = frozenset(
    [
        "no",
        "nunca",
        "jamas",
        "ningun",
        "ninguna",
        "ninguno",
        "nadie",
        "nada",
        "sin",
        "tampoco",
        "ni",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "without",
        "neither",
        "nor",
        "cannot",
        "can't",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "won't",
        "salvo",
        "excepto",
        "carece",
        "carecen",
        "except",
        "unless",
        "lacks",
        "lack",
    ]
)
_PAIRS = """
    mas/menos mayor/menor maximo,maxima/minimo,minima mejor/peor antes/despues desde/hasta siempre/nunca
    primero,primera,primer/ultimo,ultima aumento,aumenta,aumentar,aumento,incremento,crecimiento,crecio/disminucion,disminuye,disminuir,disminuyo,reduccion,descenso,reduce,caida
    sube,subida,subio/baja,bajada,bajo alto,alta,altos,altas/bajo,baja,bajos,bajas largo,larga/corto,corta
    norte,septentrional/sur,meridional este,oriental/oeste,occidental este/occidental oeste/oriental
    permite,permitido,permitida,permitir,autoriza,puede,pueden/prohibe,prohibido,prohibida,prohibir,impide
    incluye,incluido,incluida,incluir,incluidos,incluidas/excluye,excluido,excluida,excluir,excluidos,excluidas
    obligatorio,obligatoria/opcional,voluntario,voluntaria gratis,gratuito,gratuita/pago,pagado
    abierto,abierta,abre/cerrado,cerrada,cierra interno,interna,interior/externo,externa,exterior
    publico,publica/privado,privada compra,comprar,comprador/venta,vender,vendedor,vende
    acepta,aceptar,acepto,aceptado/rechaza,rechazar,rechazo,rechazado gano,gana,ganar,victoria/perdio,pierde,perder,derrota
    comienzo,comenzo,empezo,inicio,empieza,comienza/termino,acabo,fin,finalizo,termina,acaba
    verdadero,verdadera/falso,falsa positivo,positiva/negativo,negativa activo,activa/inactivo,inactiva,pasivo
    nacional/internacional,extranjero hombre,hombres/mujer,mujeres joven,jovenes/viejo,viejos,anciano,ancianos
    rico,ricos/pobre,pobres lento,lenta/rapido,rapida dentro/fuera encima/debajo entrada/salida antiguo/nuevo
    izquierda/derecha superior/inferior con/sin todos,todas/ninguno,ninguna,ningun facil/dificil temprano/tarde
    amigo,aliado/enemigo guerra/paz vida/muerte vivo,viva/muerto,muerta catolico,catolicos/protestante,protestantes
    more/less most/least max,maximum/min,minimum better,best/worse,worst before/after always/never first/last
    increase,increased,increases,growth,rise,rose,grew/decrease,decreased,decreases,decline,fall,fell,reduction
    high,higher,highest/low,lower,lowest long/short north,northern/south,southern east,eastern/west,western
    allow,allowed,allows,may,permitted/forbid,forbidden,prohibited,forbids,prohibits include,included,includes/exclude,excluded,excludes
    mandatory,required,must/optional free/paid open,opens,opened/closed,closes,close internal/external public/private
    buy,buys,bought/sell,sells,sold accept,accepts,accepted/reject,rejects,rejected win,won,wins/lose,lost,loses
    begin,began,start,started,starts,begins/end,ended,ends,finished,finish true/false positive/negative
    active/inactive,passive male,men,man/female,women,woman young/old rich/poor slow/fast,quick inside/outside
    above/below entry,entrance/exit left/right upper/lower with/without all/none easy/difficult,hard early/late
    friend,ally/enemy war/peace alive/dead
"""


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        left, _, right = pair.partition("/")
        for word in left.split(","):
            table.setdefault(word, set()).update(right.split(","))
        for word in right.split(","):
            table.setdefault(word, set()).update(left.split(","))
    return {word: frozenset(others) for word, others in table.items()}


_OPPOSITES = _table()


def opposites_of(word: str) -> frozenset[str]:
    """The words listed as its contrary."""
    return _OPPOSITES.get(word, frozenset())


def opposed(words: Iterable[str], others: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Each of the words that has a contrary among the others, with the contrary."""
    joined = {other.replace("-", ""): other for other in others if "-" in other}
    sided = [other for other in (*others, *joined) if other.startswith(_ANY_SIDE)]
    for word in words:
        bare = word.replace("-", "")
        if contrary := _listed(word, others) or _turned_round(bare, others, joined) or _across(bare, sided):
            yield word, joined.get(contrary, contrary)


def _listed(word: str, others: frozenset[str]) -> str | None:
    return next((other for other in opposites_of(word) if other in others), None)


_TURNING = ("in", "im", "ir", "i", "des", "dis", "un", "non", "anti", "contra", "mal", "mis")
_SIDES = (("anti", "pro"), ("in", "ex"), ("pre", "post"))
_ANY_SIDE = tuple(side for sides in _SIDES for side in sides)
_SHORTEST = 5
"""Letters of a word that a prefix may turn into its contrary."""


def _turned_round(word: str, others: frozenset[str], joined: Mapping[str, str]) -> str | None:
    """«legal» and «ilegal», «activar» and «desactivar», «anti-china» and «china»."""
    turned = _turned(word)
    if turned.isdisjoint(others) and turned.isdisjoint(joined):
        return None
    return next(other for other in turned if other in others or other in joined)


@lru_cache(maxsize=16_384)
def _turned(word: str) -> frozenset[str]:
    """The word with one prefix more or less."""
    more = (prefix + word for prefix in _TURNING if len(word) >= _SHORTEST)
    less = (word.removeprefix(prefix) for prefix in _TURNING if word.startswith(prefix))
    return frozenset((*more, *(rest for rest in less if len(rest) >= _SHORTEST)))


def _across(word: str, sided: Sequence[str]) -> str | None:
    """«anti-china» and «pro-chinos»."""
    if not sided or not word.startswith(_ANY_SIDE):
        return None
    return next((other for other in sided if _both_prefixed(word, other)), None)


def _both_prefixed(a: str, b: str) -> bool:
    for one, other in _SIDES:
        for x, y in ((a, b), (b, a)):
            if x.startswith(one) and y.startswith(other) and len(x) - len(one) >= 4:
                rest, rest_other = x[len(one) :], y[len(other) :]
                if rest[:4] == rest_other[:4] and (one != "in" or rest[:5] == rest_other[:5]):
                    return True
    return False
