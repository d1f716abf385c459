use wattfeed::period;

#[test]
fn a_text_has_the_integer_that_attesters_give_it() {
    for row in include_str!("../../../fixtures/coverage/periods.tsv").lines() {
        let [frequency, text, integer] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        assert_eq!(period::encode(frequency, text), integer.parse().ok(), "{row}");
    }
}

#[test]
fn what_is_not_in_the_calendar_has_no_integer() {
    let none = [period::year(10_000), period::quarter(2026, 0), period::quarter(2026, 5), period::month(2026, 13)];
    assert_eq!(none, [None; 4]);
    assert_eq!([period::date(2026, 2, 29), period::date(2026, 2, u64::MAX), period::month(u64::MAX, 1)], [None; 3]);
    assert_eq!([period::hour(2026, 1, 1, 24), period::hour(1969, 12, 31, 23), period::hour(0, 1, 1, 0)], [None; 3]);
}
