//! Matrices that are taken apart or solved with.

use super::*;

/// `%a`, of which each matrix is a product that is far from singular, in the shape of `%x: f64[…,m,n]`, symmetric.
fn of_symmetric(batch: &str, n: &str, line: &str, out: &str) -> String {
    let lengths = format!("f64[{batch}{n},{n}]");
    let rank = 2 + batch.matches(',').count();
    let perm = if rank == 3 { "[0,2,1]" } else { "[1,0]" };
    format!(
        "func @f(%x: {lengths}) -> ({out}) {{
           %t = transpose %x perm={perm} : {lengths}
           %s = add %x, %t : {lengths}
           %p = matmul %s, %s : {lengths}
           %a = add %p, %s : {lengths}
           %r = {line} : {out} return %r }}"
    )
}

#[test]
fn triangles_of_symmetric_matrices() {
    for (batch, n, lengths) in
        [("", "3", &[3, 3][..]), ("2,", "2", &[2, 2, 2]), ("", "?0", &[2, 2]), ("", "1", &[1, 1])]
    {
        let out = format!("f64[{batch}{n},{n}]");
        check(&of_symmetric(batch, n, "cholesky %a", &out), &[spread(lengths)]);
    }
}

/// Matrices whose diagonal is greater than the rest.
fn spread(lengths: &[usize]) -> Array {
    let mut x = floats(lengths);
    let &[rows, columns] = lengths.last_chunk::<2>().expect("matrices");
    for (at, element) in x.elements.iter_mut().enumerate() {
        let (i, j) = (at / columns % rows, at % columns);
        *element = Scalar::Float(element.to_f64() * 0.5 + if i == j { 1.0 + i as f64 } else { 0.0 });
    }
    x
}

#[test]
fn solutions() {
    let ways = ["solve %a, %b", "solve %a, %b adjoint", "triangular_solve %a, %b lower"];
    let others =
        ["upper", "lower adjoint", "upper adjoint"].map(|how| format!("triangular_solve %a, %b {how}"));
    for line in ways.into_iter().map(str::to_owned).chain(others) {
        for (a, b, out, lengths) in [
            ("[3,3]", "[3,2]", "[3,2]", [&[3, 3][..], &[3, 2]]),
            ("[2,2,2]", "[2,1]", "[2,2,1]", [&[2, 2, 2], &[2, 1]]),
            ("[2,2]", "[3,2,1]", "[3,2,1]", [&[2, 2], &[3, 2, 1]]),
            ("[?0,?0]", "[?0,?1]", "[?0,?1]", [&[2, 2], &[2, 3]]),
        ] {
            let text = format!(
                "func @f(%a: f64{a}, %b: f64{b}) -> (f64{out}) {{ %1 = {line} : f64{out} return %1 }}"
            );
            check(&text, &[spread(lengths[0]), floats(lengths[1])]);
        }
    }
}

#[test]
fn determinants() {
    for (x, out, lengths) in
        [("[3,3]", "[3]", &[3, 3][..]), ("[2,2,2]", "[2,3]", &[2, 2, 2]), ("[?0,?0]", "[3]", &[2, 2])]
    {
        let text = format!("func @f(%x: f64{x}) -> (f64{out}) {{ %1 = det %x : f64{out} return %1 }}");
        check(&text, &[spread(lengths)]);
    }
}

#[test]
fn reflections() {
    for (x, out, lengths) in [
        ("[3,3]", "[3,6]", &[3, 3][..]),
        ("[4,2]", "[2,6]", &[4, 2]),
        ("[2,3]", "[2,5]", &[2, 3]),
        ("[2,3,2]", "[2,2,5]", &[2, 3, 2]),
        ("[?0,?1]", "[?2,?3]", &[3, 2]),
        ("[?0,?1]", "[?2,?3]", &[2, 3]),
    ] {
        let text = format!(
            "func @f(%x: f64{x}) -> (f64{out}) {{ %1 = qr %x : f64{out} %2 = exp %1 : f64{out} return %2 }}"
        );
        check(&text, &[spread(lengths)]);
    }
    let text = "func @f(%x: f64[3,2]) -> (f64[3,5]) { %1 = qr %x full : f64[3,5] return %1 }";
    let (mut b, total) = with_total(parse(text).expect("legal"));
    assert!(matches!(derivatives(&mut b, total), Err(Stop::Refused(_))));
}

#[test]
fn values_and_vectors() {
    for (batch, n, high, lengths) in
        [("", "3", "4", &[3, 3][..]), ("2,", "2", "3", &[2, 2, 2]), ("", "?0", "?1", &[3, 3])]
    {
        let out = format!("f64[{batch}{high},{n}]");
        let text = of_symmetric(batch, n, "eigh %a", &out)
            .replace("return %r", &format!("%e = sin %r : {out} return %e"));
        check(&text, &[spread(lengths)]);
    }
}

#[test]
fn singular_values_and_vectors() {
    for (x, out, lengths) in [
        ("[3,3]", "[7,3]", &[3, 3][..]),
        ("[3,2]", "[6,2]", &[3, 2]),
        ("[2,3]", "[6,2]", &[2, 3]),
        ("[2,2,2]", "[2,5,2]", &[2, 2, 2]),
        ("[?0,?1]", "[?2,?3]", &[3, 2]),
        ("[?0,?1]", "[?2,?3]", &[2, 3]),
    ] {
        let text = format!(
            "func @f(%x: f64{x}) -> (f64{out}) {{ %1 = svd %x : f64{out} %2 = exp %1 : f64{out} return %2 }}"
        );
        check(&text, &[spread(lengths)]);
    }
}

#[test]
fn what_depends_on_values_alone_has_a_derivative_where_they_are_equal() {
    let text = "func @f(%x: f64[2,2]) -> (f64[1,2]) {
      %1 = eigh %x : f64[3,2] %2 = slice %1 at=[:1,:] : f64[1,2] return %2 }";
    let (first, _) = derived(parse(text).expect("legal"));
    let unit = Array::new(DType::F64, vec![2, 2], [2.0, 0.0, 0.0, 2.0].map(Scalar::Float));
    let found = run(&first, &[unit]).expect("it runs").results;
    assert_eq!(found[1].elements, [4.0, 0.0, 0.0, 4.0].map(Scalar::Float));
}
