"""Rules reject what is certainly wrong with a claim, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veraz.verify.facts import Ground, flaw_in


def flaw(
    claim: str, *quotes: str, place: str = "", question: str = "", known: str = "", rest: str = ""
) -> str | None:
    ground = Ground(
        quotes=quotes,
        places=(place,),
        question=question,
        known=(known,),
        passages=("\n".join((*quotes, rest)),),
    )
    return flaw_in(claim, ground)


WRONG = [
    # figures
    ("figure", "Cuesta 35 € al mes.", "Cuesta 25 € al mes."),
    ("figure", "Cuesta 2.500 € al mes.", "Cuesta 250 € al mes."),
    ("figure", "Dura dieciocho semanas.", "Dura quince semanas."),
    ("figure", "Dura dois meses.", "Dura três meses."),
    ("figure", "It has forty rooms.", "It has fourteen rooms."),
    ("figure", "Hay 437 plazas y dos pistas.", "Hay dos pistas."),
    ("figure", "Abre a las 10:15.", "Abre a las 9:15."),
    ("figure", "Hace 5 °C.", "Hace -5 °C."),
    # units and currencies
    ("unit", "Cuesta 25 pesos.", "Cuesta 25 euros."),
    ("unit", "Cuesta $25.", "Cuesta 25 €."),
    ("unit", "Cuesta £25.", "Cuesta $25."),
    ("unit", "Custa 25 reais.", "Cuesta 25 euros."),
    ("unit", "Mide 25 km.", "Mide 25 metros."),
    ("unit", "It weighs 5 grams.", "Pesa 5 kilos."),
    ("unit", "Dura 3 años.", "Dura 3 meses."),
    ("unit", "Sube 3 %.", "Sube 3 puntos porcentuales."),
    # rates, kinds of days, bounds
    ("rate", "Cuesta 25 € al año.", "Cuesta 25 € al mes."),
    ("rate", "It costs 25 euros a week.", "Cuesta 25 € mensuales."),
    ("rate", "São 25 euros por mês.", "Son 25 euros por hora."),
    ("day_kind", "El plazo es de 10 días naturales.", "El plazo es de 10 días hábiles."),
    ("day_kind", "It takes 10 calendar days.", "Tarda 10 días hábiles."),
    ("bound", "Admite al menos 20 personas.", "Admite hasta 20 personas."),
    ("bound", "It holds more than 20 people.", "It holds at most 20 people."),
    ("bound", "Admite até 20 pessoas.", "Admite um mínimo de 20 pessoas."),
    # dates
    ("date", "Vence el 16 de marzo de 2026.", "Vence el 15 de marzo de 2026."),
    ("date", "Vence el 15 de abril de 2026.", "Vence el 15 de marzo de 2026."),
    ("date", "Vence el 15/03/2027.", "Vence el 15 de marzo de 2026."),
    ("date", "Vence en mayo de 2026.", "Vence en marzo de 2026."),
    ("date", "It ends on April 15, 2026.", "Vence el 15 de marzo de 2026."),
    ("date", "Vence el 15 de marzo.", "Vence en marzo de 2026."),
    # names and codes
    ("name", "Lo dirige Marta García.", "Lo dirige Ana García."),
    ("name", "Marta Ruiz lo dirige.", "Ana García lo dirige."),
    ("name", "La sede está en Soria.", "La sede está en Lugo."),
    ("name", "Use el modelo GX-3100.", "Use el modelo GX-2500."),
    ("name", "Lo publica la ONU.", "Lo publica la universidad."),
    ("name", "Escriba a otro@gym.example.", "Escriba a alta@gym.example."),
    # columns
    ("column", "En el Norte hay 40 camas.", "Camas. Norte: 30; Sur: 40"),
    ("column", "El Sur vendió 30 €.", "Norte: 30 € | Sur: 40 €"),
    ("column", "A las 10:00 abre el Centro.", "Norte: 10:00; Centro: 11:30"),
]


@pytest.mark.parametrize(("kind", "claim", "quote"), WRONG)
def test_a_certain_flaw_is_named(kind: str, claim: str, quote: str) -> None:
    found = flaw(claim, quote)
    assert found is not None
    assert found.split(":")[0] == kind
    assert flaw(quote, quote) is None


TRUE = [
    # the same figure in other forms
    ("Cuesta veinticinco euros mensuales.", "Cuesta 25 € al mes."),
    ("It costs twenty-five euros a month.", "Cuesta 25 € al mes."),
    ("Custa vinte e cinco euros por mês.", "Cuesta 25 € al mes."),
    ("Cuesta 25,00 €.", "Cuesta 25 € al mes."),
    ("Son 38.000 pesos.", "Son $38,000 al mes."),
    ("Son $200.", "Son 200 dólares."),
    ("Son 6.5 millones.", "Son 6,500,000 pesos."),
    ("Son mil doscientos treinta y cuatro.", "Son 1.234 socios."),
    ("São cento e vinte pessoas.", "Son 120 personas."),
    ("One hundred and twenty people.", "Son 120 personas."),
    ("Sube el tres por ciento.", "Sube un 3 %."),
    ("Hay 2 plazas.", "Hay dos plazas."),
    # times and spans
    ("Cierra a las 4 de la tarde.", "Cierra a las 16:00."),
    ("Cierra a las 14.30 h.", "Cierra a las 14:30."),
    ("It closes at 2:30 pm.", "Cierra a las 14:30."),
    ("La garantía es de dos años.", "La garantía es de 24 meses."),
    ("Avise 24 horas antes.", "Avise un día antes."),
    ("Son 2 horas.", "Son 120 min."),
    ("Dura 14 días.", "Dura dos semanas."),
    # what qualifies it
    ("It takes 10 business days.", "Tarda 10 días hábiles."),
    ("Leva 10 dias úteis.", "Tarda 10 días laborables."),
    ("Tarda 10 días.", "Tarda 10 días hábiles."),
    ("It holds up to 20 people.", "Admite como máximo 20 personas."),
    ("Admite no más de 20 personas.", "Admite hasta 20 personas."),
    ("Caben 20 personas.", "Admite hasta 20 personas."),
    ("Cuesta 25 € cada mes.", "La cuota es de 25 €."),
    ("Cuesta 25.", "Cuesta 25 € al mes."),
    # dates
    ("It ends on March 15, 2026.", "Vence el 15 de marzo de 2026."),
    ("Vence el 15/03/2026.", "Vence el 15 de marzo de 2026."),
    ("Vence el 2026-03-15.", "Vence el 15 de marzo de 2026."),
    ("Vence en marzo de 2026.", "Vence el 15 de marzo de 2026."),
    ("Vence em 15 de março.", "Vence el 15 de marzo de 2026."),
    ("Empezó en 1998.", "Se inauguró el 3 de mayo de 1998."),
    ("Vence el quince de marzo.", "Vence el 15 de marzo."),
    ("Empieza el 15 de marzo.", "Se hace del 15 al 20 de marzo."),
    ("Hay sesión el 15 de marzo.", "Hay sesión los días 15 y 16 de marzo."),
    # names
    ("Los Planes Premium incluyen sauna.", "El Plan Premium incluye sauna."),
    ("García dirige ventas.", "Ana García dirige ventas."),
    ("De ventas se ocupa Ana García.", "ANA GARCÍA dirige ventas."),
    ("Ofrece la bomba gx-2500.", "La bomba GX-2500 se vende aquí."),
    ("Además, la sede está en Ávila.", "La sede está en avila."),
    # arithmetic
    ("En total son 45 €.", "Cuesta 25 € y el alta 20 €."),
    ("Cuesta 5 € más.", "Cuesta 25 € y el alta 20 €."),
    ("Son 300 €.", "Son 25 € al mes durante 12 meses."),
    ("Sube un 50 %.", "Pasa de 10 a 15 €."),
    ("Votó el 75 %.", "Votaron 30 de 40 socios."),
    ("Son el doble, 2 veces más.", "Pasa de 10 a 20 €."),
    ("Suman 60 votos.", "A: 10; B: 20; C: 30"),
    # columns
    ("En el Norte hay 30 camas.", "Norte: 30; Sur: 40"),
    ("En el Norte hay 30 camas y en el Sur 40.", "Norte: 30; Sur: 40"),
    ("El Sur tiene 10 camas más que el Norte.", "Norte: 30; Sur: 40"),
    ("Hay 40 camas.", "Norte: 30; Sur: 40"),
    # nothing to compare
    ("Hay tres planes.", "Hay A, B y C."),
    ("Solo fue la mitad.", "Fueron 10 de 20."),
    ("Una persona atiende.", "Atienden aquí."),
]


@pytest.mark.parametrize(("claim", "quote"), TRUE)
def test_the_same_in_other_words_is_left_to_the_judge(claim: str, quote: str) -> None:
    assert flaw(claim, quote) is None


def test_a_fact_may_stand_in_the_place_the_question_or_what_is_known() -> None:
    quote = "Vence el 31 de diciembre."
    assert flaw("Vence el 31/12/2026.", quote, place="Tarifas vigentes en 2026") is None
    assert flaw("Vence el 31/12/2026.", quote, place="Tarifas vigentes en 2025")
    assert flaw("El Plan Medio vence ese día.", quote, place="Tarifas › Plan Medio") is None
    assert flaw("Sí, el Plan Medio vence ese día.", quote, question="¿Vence el Plan Medio?") is None
    assert flaw("Con 3 hijos no vence antes.", quote, question="Tengo 3 hijos, ¿vence?") is None
    assert flaw("El plazo vence a la vez que el de la oficina de María.", quote)
    assert flaw("Vence entonces, María.", quote, known="María López") is None


def test_a_name_may_stand_elsewhere_in_the_passage_but_a_figure_may_not() -> None:
    quote, rest = "Cuesta 25 € al mes.", "El Plan Medio tiene 400 socios."
    assert flaw("El Plan Medio cuesta 25 €.", quote, rest=rest) is None
    assert flaw("Cuesta 400 €.", quote, rest=rest) == "figure: 400 €."


def test_facts_of_several_quotes_count_together() -> None:
    quotes = ("El plan A cuesta 25 €.", "El plan B cuesta 45 €.")
    assert flaw("El plan B cuesta 20 € más que el A: 45 y 25 €.", *quotes) is None
    assert flaw("El plan B cuesta 90 €.", *quotes)


@given(st.text(max_size=120), st.text(max_size=120))
def test_no_text_breaks_the_rules(claim: str, quote: str) -> None:
    flaw(claim, quote)


WORDS = st.sampled_from(
    [
        "Ana",
        "25",
        "€",
        "al",
        "mes",
        "hasta",
        "Norte:",
        "30;",
        "Sur:",
        "40",
        "|",
        "3",
        "%",
        "$5",
        "el",
        "15",
        "de",
        "marzo",
        "2026",
        "GX-2500",
        "9:30",
        "diez",
        "y",
        "tres",
        "no",
        ".",
        ":",
        ",",
        "\n",
    ]
)


@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_a_quotation_has_no_flaw(text: str) -> None:
    assert flaw(text, text) is None


def test_what_may_be_a_translation_is_no_flaw() -> None:
    ground = Ground(quotes=("The receiver pays COP 8,900 plus VAT at the branch.",), places=())
    assert flaw_in("Quien recibe el dinero en la agencia paga COP 8,900 más IVA.", ground) is None


def test_a_day_told_by_its_weekday_takes_its_month_from_the_passage() -> None:
    passage = "Viernes 3 de abril cerrado. Domingo 5 guardia de urgencias."
    ground = Ground(quotes=("Domingo 5 guardia de urgencias.",), places=(), passages=(passage,))
    assert flaw_in("El domingo 5 de abril hay guardia.", ground) is None
    assert flaw_in("El domingo 5 de mayo hay guardia.", ground) == "date: 5 de mayo"
    assert flaw_in("El domingo 3 de abril hay guardia.", ground) == "date: 3 de abril"


# --- lies that rules once let through -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Vence el 3 de marzo de 2026.", "Vence el 15 de marzo de 2026."),
        ("Vence el 10 de marzo.", "El plan de 10 € vence el 15 de marzo."),
        ("Vence entonces, dice Boris Karloff.", "El plazo de la cuota vence el 31 de diciembre."),
        ("Cuesta 200 dólares.", "Cuesta 200 pesos."),
        ("It rises 3 percentage points.", "It rises 3 %."),
        ("Cuesta 25 €/año.", "Cuesta 25 € al mes."),
        ("Vence em 8 de março de 2026.", "Vence em 8 de outubro de 2026."),
        ("Cuesta 1 € al mes.", "Cuesta 10 € al mes."),
        ("El plan A cuesta 50 € al mes.", "El plan A cuesta 10 € y el B 20 € al mes."),
        ("El plan A cuesta 2 € al mes.", "El plan A cuesta 10 € y el B 20 € al mes."),
        ("Cuesta 40 €.", "Cuesta 10 € y dura 30 días."),
        ("El plazo es de once días.", "El plazo es de quince días."),
        ("The term is ten days.", "The term is fifteen days."),
        ("Cuesta ⑳ €.", "Cuesta 10 €."),
        ("Cuesta ½ €.", "Cuesta 10 €."),
        ("Cuesta 10\u200b10 €.", "Cuesta 10 €."),
    ],
)
def test_a_certain_flaw_in_disguise_is_seen(claim: str, quote: str) -> None:
    assert flaw(claim, quote) is not None


# facts._otherwise: a bound that is denied in the quote turns round.
# dates: «03/04/2026» in the quote may be either way round.
# languages/*.toml [clock] has «p m» and «pm», but «p. m.» and «p.m.» are what people write.
# numbers._CLOCK: «9.30», «9h30», «nueve y media»; numbers: «media hora», «hora y media», «milhões», «por cento», «three quarters».
# facts._follows converts time only. names: weekdays of English, units, currencies, clock and ordinals are no names;
# facts._stands promises initials and codes however they are joined; «Ana's» is «Ana».
@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("Se puede entrar a partir de los 16 años.", "No se admite a menores de 16 años."),
        ("You must be at least 16 years old.", "No se admite a menores de 16 años."),
        ("No caben más de 80 personas.", "Admite hasta 80 personas."),
        ("O acréscimo é de 7 por cento.", "El recargo es del 7 %."),
        ("Se entra a partir de las 9:00.", "No se puede entrar antes de las 9:00."),
        ("The deadline is March 4, 2026.", "The deadline is 03/04/2026."),
        ("Abre de 9:30 a 14:00.", "Abre de 9.30 a 14.00 h."),
        ("Abre a las 9:30.", "Abre às 9h30."),
        ("Dura 30 minutos.", "Dura media hora."),
        ("Dura 90 minutos.", "Dura hora y media."),
        ("Pesa 1500 g.", "Pesa 1,5 kg."),
        ("Mide 2 metros.", "Mide 200 cm."),
        ("Son 2.500.000 reales.", "São 2,5 milhões de reais."),
        ("Son 300 € al año.", "Son 25 € al mes."),
        ("It opens from Monday to Friday.", "Abre de lunes a viernes."),
        ("Lo publica el INE.", "Lo publica el Instituto Nacional de Estadística."),
        ("Use la bomba GX2500.", "La bomba GX-2500 sirve."),
        ("Use la bomba GX 2500.", "La bomba GX-2500 sirve."),
        ("Cuesta 25 EUR.", "Cuesta 25 euros."),
        ("Cuesta 25 USD.", "Cuesta 25 dólares."),
        ("Son US$ 200.", "Son 200 dólares."),
        ("Cierra a las 2:30 p. m.", "Cierra a las 14:30."),
        ("Cierra a las 4 p.m.", "Cierra a las 16:00."),
        ("It closes at 4 PM.", "Cierra a las 16:00."),
        ("It closes at 4pm.", "Cierra a las 16:00."),
        ("Pesa 25kg.", "Pesa 25 kg."),
        ("Está en el 2º piso.", "Está en el segundo piso."),
        ("It starts on March 15th.", "Empieza el 15 de marzo."),
        ("It is in Ana's office.", "Está en la oficina de Ana."),
        ("La atiende la Dra. Ruiz.", "La atiende la doctora Ruiz."),
        ("Ocupa 25 MB.", "Ocupa 25 megabytes."),
    ],
)
def test_a_true_sentence_in_another_form_is_not_held_back(claim: str, quote: str) -> None:
    assert flaw(claim, quote) is None


# What a review found: true sentences that the rules held back, and what stands beside them and is a lie.
@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("El saldo es de −300 €.", "El saldo es de -300 €."),
        ("Puede anular hasta 48 horas antes.", "Anulación con al menos 48 horas de antelación."),
        ("Las maletas de más de 23 kg pagan suplemento.", "Peso máximo 23 kg por maleta."),
        ("Los menores de 14 años no entran.", "Acceso desde 14 años."),
        ("Bags over 10 kg are refused.", "Bags up to 10 kg."),
        ("La sala se alquila por 120 €.", "Sala: 4; Precio: 120 €; Aforo: 40"),
        ("El curso vale 350 €.", "Curso: 2; Horas: 60; Precio: 350 €"),
        ("El equipo ganó 12 partidos.", "Equipo: 7; Ganados: 12; Perdidos: 3"),
        ("El Plan B cuesta 30 €.", "Plan A: 20 €; Plan B: 30 €"),
        ("Hay dos millones y medio de usuarios.", "Hay 2.500.000 usuarios."),
        ("Cierra a las ocho y media de la tarde.", "Cierra a las 20:30."),
        ("Cierra a las siete menos cuarto de la tarde.", "Cierra a las 18:45."),
        ("Open from 2 to 6 pm.", "Abierto de 14 a 18 h."),
        ("Votó la mitad: el 50 %.", "Votó la mitad del censo."),
        ("Dos tercios, el 67 %, están a favor.", "Dos tercios están a favor."),
        ("Three quarters (75 %) agree.", "Three quarters agree."),
        ("Se necesitan 3/4 de los votos.", "Se necesita el 75 % de los votos."),
        ("Añade 1/2 litro.", "Añadir ½ litro."),
        ("Añade ½ litro.", "Añadir 0,5 litros."),
        ("La inversión fue de 3 millones de euros.", "Inversión: 3 M€."),
        ("Tiene 250.000 seguidores.", "Tiene 250k seguidores."),
        ("It raised 5 million dollars.", "It raised $5M."),
        ("Llame al 91 555 12 34.", "Teléfono: 915551234"),
        ("Llame al (55) 5555 1234.", "Tel. 55-5555-1234"),
        ("La cuenta es 2100 0418 45 0200051332.", "Cuenta: 2100-0418-45-0200051332"),
        ("El IBAN es ES9121000418450200051332.", "IBAN ES91 2100 0418 4502 0005 1332"),
        ("Cuesta 0,75 €.", "Cuesta 75 céntimos."),
        ("Dura 150 minutos.", "Dura 2 h 30 min."),
        ("Dura 2 horas y media.", "Dura 150 minutos."),
        ("Pesa 2 kg 500 g.", "Pesa 2,5 kg."),
        ("Ocupa 90 m².", "Ocupa 90 m2."),
        ("El recargo es de 15 €.", "Recargo del 5 % sobre 300 €."),
        ("Con el descuento se queda en 270 €.", "Precio 300 €. Descuento del 10 %."),
        ("Con el IVA son 363 €.", "Precio 300 € más 21 % de IVA."),
        ("Cada plazo es de 75 €.", "Son 300 € en 4 plazos."),
        ("Son 600 € en total.", "Se paga en 12 cuotas de 50 €."),
        ("Son 24 sillas.", "Hay 4 mesas con 6 sillas."),
        ("Trabaja 40 horas.", "8 horas al día durante 5 días."),
        ("Es el capítulo 7.", "Capítulo VII. Sanciones"),
        ("En el siglo XX se amplió.", "Se amplió en 1950."),
        ("20 out of 100 students passed.", "Aprobaron 20 de 100 alumnos."),
        ("5 set meals are offered.", "Se ofrecen 5 menús."),
        ("5 may be refused entry.", "Hasta 5 personas pueden quedar fuera."),
        ("Hace 10 años, 10 ago.", "Hace 10 años."),
        ("Vence el 15 de marzo de 2026.", "Vencimiento: 15/mar/2026"),
        ("Vence el 1 de mayo.", "Vence el 1ro de mayo."),
        ("Abre el 1 de mayo.", "Abre el primero de mayo."),
        ("It ends on June 30, 2026.", "It ends on the 30th of June 2026."),
        ("Vence el 15 de marzo.", "Vence el quince de marzo."),
        ("Hay que llevar el DNI.", "Traer el documento nacional de identidad."),
        ("Se paga el IVA.", "Se paga el impuesto sobre el valor añadido."),
        ("Lo lleva RRHH.", "Lo lleva el departamento de Recursos Humanos."),
        ("Vive en EE. UU.", "Vive en Estados Unidos."),
        ("Está en la Avenida Juárez.", "Está en Av. Juárez 10."),
        ("La Licenciada Gómez atiende.", "Atiende la Lic. Gómez."),
        ("Está en la Plaza Mayor.", "Está en Pza. Mayor."),
        ("Sure, I can confirm it costs 25 €.", "Cuesta 25 €."),
        ("Hi Laura, it costs 25 €.", "It costs 25 €."),
        ("**Shipping Costs**: it is 5 €.", "Shipping is 5 €."),
        ("- **Forma de Pago:** tarjeta.", "Se paga con tarjeta."),
        ("Residentes del UK.", "Residentes del United Kingdom."),
        ("Cuesta 1.300 € a la semana, 67.600 € al año.", "Cuesta 1.300 € a la semana."),
        ("Closes at 12 pm.", "Closes at noon."),
        ("It costs 12 € a dozen, 12 units.", "Una docena cuesta 12 €."),
    ],
)
def test_what_can_be_read_in_another_way_is_left_to_the_judge(claim: str, quote: str) -> None:
    assert flaw(claim, quote) is None


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("El saldo es -300.", "El saldo es bueno."),
        ("La temperatura es de -15 grados.", "Hace frío."),
        ("Cuesta -25 €.", "Cuesta 25 €."),
        ("El Plan A cuesta 30 €.", "Plan A: 20 €; Plan B: 30 €"),
        ("En el Norte hay 40 camas.", "Norte: 30; Sur: 40"),
        ("Los niños pagan 10 €.", "Adultos: 10 €; Niños: 5 €"),
        ("La sala cuesta 140 €.", "Sala: 4; Precio: 120 €; Aforo: 40"),
        ("Admite al menos 80 personas.", "Admite hasta 80 personas."),
        ("Se exige como máximo 18 meses de antigüedad.", "Se exige al menos 18 meses de antigüedad."),
        ("Hay tres millones y medio de usuarios.", "Hay 2.500.000 usuarios."),
        ("Cierra a las nueve y cuarto.", "Cierra a las 20:30."),
        ("Open from 3 to 6 pm.", "Abierto de 14 a 18 h."),
        ("Votó el 60 %.", "Votó la mitad del censo."),
        ("Se necesita 1/3 de los votos.", "Se necesita el 75 % de los votos."),
        ("Añade ¾ litro.", "Añadir ½ litro."),
        ("La inversión fue de 5 millones de euros.", "Inversión: 3 M€."),
        ("Tiene 250 seguidores.", "Tiene 250k seguidores."),
        ("Llame al 91 555 12 35.", "Teléfono: 915551234"),
        ("La cuenta es 2100 0418 45 0200051333.", "Cuenta: 2100-0418-45-0200051332"),
        ("El IBAN es ES9121000418450200051333.", "IBAN ES91 2100 0418 4502 0005 1332"),
        ("Cuesta 0,65 €.", "Cuesta 75 céntimos."),
        ("Dura 140 minutos.", "Dura 2 h 30 min."),
        ("Dura 3 h 30 min.", "Dura 150 minutos."),
        ("Ocupa 95 m².", "Ocupa 90 m2."),
        ("Con el descuento se queda en 250 €.", "Precio 300 €. Descuento del 10 %."),
        ("Cada plazo es de 80 €.", "Son 300 € en 4 plazos."),
        ("3 adultos y 2 niños pagan 43 €.", "Adultos: 10 €; Niños: 5 €"),
        ("Es el capítulo 8.", "Capítulo VII. Sanciones"),
        ("25 out of 100 students passed.", "Aprobaron 20 de 100 alumnos."),
        ("Vence el 16 de marzo de 2026.", "Vencimiento: 15/mar/2026"),
        ("Abre el 2 de mayo.", "Abre el primero de mayo."),
        ("It ends on June 29, 2026.", "It ends on the 30th of June 2026."),
        ("Vence el 5-mar-2026.", "Vence el 15 de marzo de 2026."),
        ("Hay que llevar el NIE.", "Traer el documento nacional de identidad."),
        ("Lo lleva RRPP.", "Lo lleva el departamento de Recursos Humanos."),
        ("Está en la Calzada Juárez.", "Está en Av. Juárez 10."),
        ("La dirige Marta Ruiz.", "La dirige la Lic. Gómez."),
        ("Hi Laura, ask Pedro Soto.", "It costs 25 €."),
        ("**Shipping Costs**: it is 7 €.", "Shipping is 5 €."),
        ("**Code**: use the GX-3100.", "Use the GX-2500."),
        ("Cuesta 25 dólares.", "Cuesta 25 euros."),
        ("Cuesta 25 € al año.", "Cuesta 25 € al mes."),
        ("Son 10 días naturales.", "Son 10 días hábiles."),
        ("Pesa 5 g.", "Pesa 5 kg."),
        ("Cuesta 2004 €.", "En 2024 cuesta 20 €."),
    ],
)
def test_a_lie_beside_such_a_sentence_is_seen(claim: str, quote: str) -> None:
    assert flaw(claim, quote) is not None


def test_a_total_follows_from_the_counts_of_the_question() -> None:
    prices, question = "Adultos: 10 €; Niños: 5 €", "Somos 3 adultos y 2 niños, ¿cuánto es?"
    assert flaw("3 adultos y 2 niños pagan 40 €.", prices, question=question) is None
    assert flaw("3 adultos y 2 niños pagan 43 €.", prices, question=question) == "figure: 43 €."


@pytest.mark.parametrize(
    ("claim", "row"),
    [
        ("La habitación cuesta 90 €.", "Habitación: 101; Precio: 90 €; Capacidad: 2"),
        ("El piso se alquila por 500.", "Piso: 3; Renta: 500; Metros: 80"),
        ("Ese año se vendieron 300 unidades.", "Año: 2025; Ventas: 300"),
        ("El grupo entra a las 9:00.", "Grupo: 2; Horario: 9:00; Aula: 12"),
    ],
)
def test_whoever_speaks_of_the_key_of_a_row_speaks_of_the_row(claim: str, row: str) -> None:
    assert flaw(claim, row) is None


def test_a_bound_is_wrong_only_where_all_else_is_alike() -> None:
    assert flaw("Los archivos de más de 5 MB se rechazan.", "Máximo 5 MB por archivo.") is None
    assert flaw("Los archivos son de más de 5 MB.", "Los archivos son de máximo 5 MB.")
    assert flaw("Los mayores de 18 años no lo necesitan.", "Los menores de 18 años lo necesitan.") is None
    assert flaw("Avise al menos 2 días antes.", "Avise hasta 2 días antes.") is None


@pytest.mark.parametrize("text", ["1, " * 3_300, "12 y " * 2_000, "1 " * 5_000, "mil " * 2_500, "1-" * 5_000])
@pytest.mark.timeout(60)  # a rule that backtracks takes hours
def test_no_question_stalls_the_rules(text: str) -> None:
    flaw("Vence el 5 de marzo y cuesta 77 euros, dice Ana.", "Vence.", question=text)
